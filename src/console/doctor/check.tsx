import type { Child, FC } from 'hono/jsx'
import { counted } from '../../ground/index.ts'
import { CheckRow } from '../parts/check-row.tsx'
import { State, type StateKind } from '../parts/state.tsx'

/** A check: its result, and how to fix it. */
export interface DoctorCheck {
  readonly state: StateKind
  readonly sentence: Child
  readonly ms?: number | undefined
  readonly fix?: Child
}

/** Maximum number of checks in a panel. The rest are counted. */
const MAX_CHECKS = 60

const ORDER: readonly StateKind[] = ['bad', 'low', 'off', 'ok']

/** A panel of related checks. */
export const Panel: FC<{
  readonly title: string
  readonly href?: string
  readonly checks: readonly DoctorCheck[]
}> = ({ title, href, checks }) => {
  // Show problems first if there are too many checks.
  const kept =
    checks.length > MAX_CHECKS
      ? checks.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
      : checks
  return (
    <section class="panel flush">
      <header>
        <h2 dir="auto">{href ? <a href={href}>{title}</a> : title}</h2>
        <Outcome checks={checks} />
      </header>
      <ul class="checks">
        {kept.slice(0, MAX_CHECKS).map(({ fix, ...check }) => (
          <CheckRow {...check} below={fix} />
        ))}
        {kept.length > MAX_CHECKS && <li>And {kept.length - MAX_CHECKS} more.</li>}
      </ul>
    </section>
  )
}

const Outcome: FC<{ readonly checks: readonly DoctorCheck[] }> = ({ checks }) => {
  const count = (state: StateKind) => checks.filter((it) => it.state === state).length
  if (count('bad') > 0) return <State kind="bad" word={`${count('bad')} to fix`} />
  if (count('low') > 0) return <State kind="low" word={counted(count('low'), 'warning')} />
  if (count('ok') === 0) return <State kind="off" word="Not checked" />
  return <State kind="ok" word="OK" />
}
