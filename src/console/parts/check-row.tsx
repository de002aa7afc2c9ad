import type { Child, FC } from 'hono/jsx'
import { StateIcon, type StateKind } from './state.tsx'
import { grouped } from './texts.ts'

const WORDS = { ok: '', low: 'Warning: ', bad: 'To fix: ', off: 'Not checked: ' } as const

/** A check in a list: its result, its duration, and the content below it. */
export const CheckRow: FC<{
  readonly state: StateKind
  readonly sentence: Child
  readonly ms?: number | undefined
  readonly below?: Child
}> = ({ state, sentence, ms, below }) => (
  <li>
    <StateIcon kind={state} />
    <span dir="auto">
      <span class="hidden">{WORDS[state]}</span>
      {sentence}
    </span>
    <span class="n">{ms !== undefined && `${grouped(ms)} ms`}</span>
    {below}
  </li>
)
