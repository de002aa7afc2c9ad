import type { Child } from 'hono/jsx'
import { State, StateIcon } from '../parts/state.tsx'

/** One thing that was looked at: what is true, and what mends it. */
export interface Checked {
  readonly state: 'ok' | 'low' | 'bad' | 'off'
  readonly sentence: Child
  readonly ms?: number | undefined
  readonly mend?: Child
}

/** Checks of one panel. The others are counted. */
const MAX_CHECKS = 60

/** What was looked at together. */
export const Panel = ({
  title,
  href,
  checks,
}: {
  readonly title: string
  readonly href?: string
  readonly checks: readonly Checked[]
}) => {
  // What is to be mended is shown first if there is too much.
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
        {kept.slice(0, MAX_CHECKS).map(({ state, sentence, ms, mend }) => (
          <li>
            <StateIcon kind={state} />
            <span dir="auto">
              <span class="hidden">{WORDS[state]}</span>
              {sentence}
            </span>
            <span class="n">{ms === undefined ? '' : `${ms.toLocaleString('en')} ms`}</span>
            {mend}
          </li>
        ))}
        {kept.length > MAX_CHECKS && <li>And {kept.length - MAX_CHECKS} more.</li>}
      </ul>
    </section>
  )
}

const ORDER = ['bad', 'low', 'off', 'ok']

const WORDS = { ok: '', low: 'Worth a look: ', bad: 'To mend: ', off: '' } as const

const Outcome = ({ checks }: { readonly checks: readonly Checked[] }) => {
  const count = (state: Checked['state']) => checks.filter((it) => it.state === state).length
  if (count('bad') > 0) return <State kind="bad" word={`${count('bad')} to mend`} />
  if (count('low') > 0) return <State kind="low" word={`${count('low')} worth a look`} />
  if (count('ok') === 0) return <State kind="off" word="Not looked at" />
  return <State kind="ok" word="Fine" />
}
