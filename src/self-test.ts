import { examine, type Finding } from '../bin/host-checks/examine.mjs'

/** What hosts would make of an endpoint of this deployment. */
export interface SelfTest {
  readonly url: string
  readonly findings: readonly Finding[]
  readonly hosts: readonly { readonly name: string; readonly verdict: string }[]
}

/**
 * Does what hosts do with an endpoint, as `npx tidegate doctor URL` does from outside. Here no request leaves the
 * Worker: what stands before it is not seen.
 */
export async function selfTest(
  url: string,
  ask: (request: Request) => Promise<Response>,
): Promise<SelfTest> {
  const io = {
    fetch: (asked: string | URL, init: RequestInit) => ask(new Request(asked, init)),
    // Where a name leads to is not asked: the request came by it.
    lookup: async () => [],
  }
  const report = await examine(url, {}, io)
  return { url, findings: report.findings, hosts: report.verdicts() }
}

/** The same as a text: what is wrong, and what it means for each host. */
export function textOf({ url, findings, hosts }: SelfTest): string {
  const wrong = findings.filter(({ state }) => state !== 'ok')
  const lines = wrong.map(({ state, seen, mend }) => `${state}: ${seen}${mend ? ` ${mend}` : ''}`)
  const width = Math.max(...hosts.map(({ name }) => name.length))
  const verdicts = hosts.map(({ name, verdict }) => `${name.padEnd(width)}  ${verdict}`)
  return [`What hosts make of ${url}:`, ...lines, ...verdicts].join('\n')
}
