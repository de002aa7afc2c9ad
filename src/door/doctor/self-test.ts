import { examine, type HostFinding, type Verdict } from '../../host-checks/index.ts'

/** The results that hosts can expect with an endpoint of this deployment. */
export interface SelfTest {
  readonly url: string
  readonly findings: readonly HostFinding[]
  readonly hosts: readonly Verdict[]
}

/** Checks an endpoint as hosts would. No request leaves the Worker, so a proxy in front of it is not tested. */
export async function selfTest(
  url: string,
  ask: (request: Request) => Promise<Response>,
): Promise<SelfTest> {
  const report = await examine(
    url,
    {},
    {
      fetch: (asked, init) => ask(new Request(asked, init)),
      // The name needs no lookup, since the request came through it.
      lookup: async () => [],
    },
  )
  return { url, findings: report.findings, hosts: report.verdicts() }
}

/** The results as text: the problems, and their effect on each host. */
export function textOf({ url, findings, hosts }: SelfTest): string {
  const wrong = findings.filter(({ state }) => state !== 'ok')
  const lines = wrong.map(({ state, seen, fix }) => `${state}: ${seen}${fix ? ` ${fix}` : ''}`)
  const width = Math.max(...hosts.map(({ name }) => name.length))
  const verdicts = hosts.map(({ name, verdict }) => `${name.padEnd(width)}  ${verdict}`)
  return [`What hosts make of ${url}:`, ...lines, ...verdicts].join('\n')
}
