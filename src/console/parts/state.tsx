import type { FC } from 'hono/jsx'
import { Icon } from './icon.tsx'

/** Result of a check: good, a warning, bad, or not checked. */
export type StateKind = keyof typeof SHAPES

/** A state: a shape and a word, never a color alone. */
export const State: FC<{ readonly kind: StateKind; readonly word: string }> = ({ kind, word }) => (
  <span class={`state ${kind}`}>
    <Icon paths={SHAPES[kind]} />
    {word}
  </span>
)

/** The shape of a state without its word. Text beside it says the same. */
export const StateIcon: FC<{ readonly kind: StateKind }> = ({ kind }) => (
  <Icon paths={SHAPES[kind]} kind={kind} />
)

const CIRCLE = 'M8 1.4a6.6 6.6 0 1 0 0 13.2a6.6 6.6 0 1 0 0-13.2'

const SHAPES = {
  ok: [CIRCLE, 'M5.2 8.2l2 2 3.6-4'],
  low: ['M8 2l6.6 11.6H1.4z', 'M8 6.6v3M8 11.4v.2'],
  bad: [
    'M5.3 1.4h5.4l3.9 3.9v5.4l-3.9 3.9H5.3l-3.9-3.9V5.3z',
    'M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4',
  ],
  off: [CIRCLE, 'M5 8h6'],
} as const
