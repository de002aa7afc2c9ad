import { State } from '../parts/state.tsx'
import type { Outcome } from './tested.ts'

/** How a test ended. */
export const Verdict = ({ outcome: { ok, databases } }: { readonly outcome: Outcome }) => {
  const mayMore = databases.some(({ findings = [] }) =>
    findings.some(({ severity }) => severity === 'high'),
  )
  return (
    <p role="status">
      {!ok ? (
        <State kind="bad" word="Stopped" />
      ) : mayMore ? (
        <State kind="low" word="Answers, with findings" />
      ) : (
        <State kind="ok" word="All passed" />
      )}
    </p>
  )
}
