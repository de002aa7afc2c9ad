import { expect } from 'vitest'
import { type ExamineIo, examine, type Report } from '../../src/host-checks/index.ts'
import { type Host, oauthHost, otherwise, type Wrong } from '../servers/oauth-host.ts'

export const ORIGIN = 'https://gate.example.com'
export const URL_PASTED = `${ORIGIN}/mcp`

/** The findings of a report that are not ok: `problem issuer`. */
export const troubles = ({ findings }: Pick<Report, 'findings'>) =>
  findings.filter(({ state }) => state !== 'ok').map(({ state, id }) => `${state} ${id}`)

/** The MCP hosts that could not connect. */
export const shutOut = (report: Report) =>
  report
    .verdicts()
    .filter(({ verdict }) => verdict.startsWith('would not connect: '))
    .map(({ name }) => name)

/** Examines a host that replaces the network. Asserts that no check has both an ok and another finding. */
export async function examined(
  host: Host,
  {
    url = URL_PASTED,
    register = true,
    ...io
  }: Partial<ExamineIo> & { url?: string; register?: boolean } = {},
) {
  const report = await examine(
    url,
    { register },
    {
      fetch: (to, init) => host(new Request(to, init)),
      lookup: async () => [{ address: '203.0.113.1' }],
      ...io,
    },
  )
  const ids = (wanted: boolean) =>
    report.findings.filter(({ state }) => (state === 'ok') === wanted).map(({ id }) => id)
  expect(ids(true).filter((id) => ids(false).includes(id))).toEqual([])
  expect(new Set(ids(true)).size).toBe(ids(true).length)
  return report
}

/** Examines a faulty server. Asserts that only its origin gets requests, even if it names others. */
export async function wrongHost(wrong: Wrong): Promise<Report> {
  const asked = new Set<string>()
  const host = oauthHost(ORIGIN, wrong)
  const report = await examined((request) => {
    asked.add(new URL(request.url).origin)
    return host(request)
  })
  expect([...asked]).toEqual([ORIGIN])
  return report
}

export const ALL = [
  'Claude (web, desktop, phone)',
  'ChatGPT',
  'Claude Code',
  'Codex',
  'Cursor',
  'VS Code',
  'Gemini CLI',
  'MCP Inspector',
  'mcp-remote',
  'n8n',
]
export const [CLAUDE, CHATGPT, CLAUDE_CODE, CODEX, , VSCODE, GEMINI, , REMOTE, N8N] = ALL as [
  ...string[],
] as string[]

/** A server with one fault: the fault, the findings, and the hosts that cannot connect. */
export type Row = readonly [
  what: string,
  wrong: Wrong,
  found: string[],
  out: (string | undefined)[],
]

export const answering = (name: string, change: Parameters<typeof otherwise>[1]): Wrong => ({
  answers: { [name]: (right) => otherwise(right, change) },
})

export const RESOURCE = '/.well-known/oauth-protected-resource/mcp'
export const SERVER = '/.well-known/oauth-authorization-server'
