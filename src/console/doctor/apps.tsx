import { ask, type Visit } from '../visit.ts'
import type { Checked } from './check.tsx'

interface Finding {
  readonly state: 'ok' | 'note' | 'problem'
  readonly seen: string
  readonly mend?: string
}

/** Findings that are shown. */
const MAX_FINDINGS = 20

/** Does what apps do with an endpoint: what is wrong, and a verdict for each app. */
export async function appsChecked(visit: Visit, endpoint: string): Promise<readonly Checked[]> {
  const { status, body } = await ask(visit, 'GET', `/doctor/hosts/${endpoint}`)
  if (status !== 200) {
    return [{ state: 'bad', sentence: body?.error?.message ?? 'This could not be looked at.' }]
  }
  const findings: readonly Finding[] = body.findings
  const hosts: readonly { name: string; verdict: string }[] = body.hosts
  return [
    ...hosts.map(({ name, verdict }) => ({
      state: stateOf(verdict),
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

const stateOf = (verdict: string): Checked['state'] =>
  verdict.startsWith('would not') ? 'bad' : verdict.includes(', but:') ? 'low' : 'ok'
