import { Icon } from './icon.tsx'

/** How something is: a shape and a word, never a colour alone. */
export const State = ({
  kind,
  word,
}: {
  readonly kind: 'ok' | 'low' | 'bad' | 'off'
  readonly word: string
}) => (
  <span class={`state ${kind}`}>
    <Icon paths={shapes[kind]} />
    {word}
  </span>
)

/** The shape of a state alone, beside words that say the same. */
export const StateIcon = ({ kind }: { readonly kind: keyof typeof shapes }) => (
  <svg class={`icon ${kind}`} viewBox="0 0 16 16" aria-hidden="true">
    {shapes[kind].map((d) => (
      <path d={d} />
    ))}
  </svg>
)

const CIRCLE = 'M8 1.4a6.6 6.6 0 1 0 0 13.2a6.6 6.6 0 1 0 0-13.2'

const shapes = {
  ok: [CIRCLE, 'M5.2 8.2l2 2 3.6-4'],
  low: ['M8 2l6.6 11.6H1.4z', 'M8 6.6v3M8 11.4v.2'],
  bad: [
    'M5.3 1.4h5.4l3.9 3.9v5.4l-3.9 3.9H5.3l-3.9-3.9V5.3z',
    'M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4',
  ],
  off: [CIRCLE, 'M5 8h6'],
} as const
