// Checks that the server, or a proxy in front of it, does not block a host by its User-Agent.
import { ANY_ACCEPT } from './endpoint.ts'
import type { Examination } from './examination.ts'
import type { HostId } from './hosts.ts'
import { type ProbeAnswer, said } from './probe.ts'
import { initialize, leave } from './rpc.ts'

/** User-Agent and Accept headers that hosts send, and that a proxy in front of a server could filter. */
const AGENTS: readonly (readonly [host: HostId, agent: string, accept?: string])[] = [
  ['claude', 'Claude-User'],
  ['claude', 'python-httpx/0.28.1', '*/*'],
  ['chatgpt', 'ChatGPT-User'],
  ['chatgpt', 'openai-mcp/1.0.0'],
  ['claude-code', 'claude-code/2.1.329 (cli)'],
  ['codex', 'codex-mcp-client/0.169.0'],
]

/** Checks that no host is shut out by its User-Agent or Accept header. */
export async function checkAgents(exam: Examination, opened: ProbeAnswer) {
  const { report } = exam
  let isRefused = false
  for (const [host, agent, accept] of AGENTS) {
    const answer = await initialize(exam, { 'user-agent': agent, ...(accept && { accept }) })
    await leave(exam, answer)
    if (answer.status === opened.status) continue
    isRefused = true
    const seen = `As ${agent}${accept ? ` with Accept: ${accept}` : ''}, POST initialize ${said(answer)}, but other hosts get ${opened.status}.`
    if (answer.status === 429) {
      report.note('agents', { hosts: [host], seen, fix: 'Wait a minute, then check again.' })
    } else report.problem('agents', { hosts: [host], seen, fix: agentFix(answer) })
  }
  if (!isRefused) report.ok('agents', 'No host is blocked by its User-Agent.')
}

function agentFix({ status, headers }: ProbeAnswer): string {
  if (status === 406) return ANY_ACCEPT
  return headers.has('cf-ray') || headers.get('server') === 'cloudflare'
    ? 'In the Cloudflare dashboard, open AI Crawl Control and allow this crawler. It is separate from Bot Fight Mode, and does not apply to workers.dev addresses.'
    : 'Allow this User-Agent in the firewall or proxy in front of the server.'
}
