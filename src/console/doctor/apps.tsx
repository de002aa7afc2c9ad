import { ask, type Visit } from '../visit.ts'
import type { Checked } from './check.tsx'

interface Finding {
  readonly state: 'ok' | 'note' | 'problem'
  readonly seen: string
  readonly mend?: string
}

/** Findings that are shown. */
const MAX_FINDINGS = 20

/** Does what apps do with an endpoint, or with `/mcp`: what is wrong, and a verdict for each app. */
export async function appsChecked(visit: Visit, endpoint?: string): Promise<readonly Checked[]> {
  const { status, body } = await ask(
    visit,
    'GET',
    `/doctor/hosts${endpoint === undefined ? '' : `/${endpoint}`}`,
  )
  if (status !== 200) {
    return [{ state: 'bad', sentence: body?.error?.message ?? 'This could not be looked at.' }]
  }
  const findings: readonly Finding[] = body.findings
  const hosts: readonly { name: string; verdict: string }[] = body.hosts
  return [
    ...hosts.map(({ name, verdict }) => ({
      state: stateOf(verdict, findings),
      sentence: `${name}: ${verdict}`,
    })),
    ...findings
      .filter(({ state }) => state !== 'ok')
      .slice(0, MAX_FINDINGS)
      .map(({ state, seen, mend }) => ({
        state: state === 'problem' ? ('bad' as const) : ('low' as const),
        sentence: seen,
        mend: mend && (
          <div class={state === 'problem' ? 'note bad' : 'note low'}>
            <p dir="auto">{mend}</p>
          </div>
        ),
      })),
  ]
}

/** An app that is kept out by what is only to be known, such as a URL on this machine, is no fault. */
function stateOf(verdict: string, findings: readonly Finding[]): Checked['state'] {
  if (!verdict.startsWith('would not')) return verdict.includes(', but:') ? 'low' : 'ok'
  const isKnown = findings.some(({ state, seen }) => state === 'note' && verdict.includes(seen))
  return isKnown ? 'low' : 'bad'
}
