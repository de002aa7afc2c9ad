import type { FC } from 'hono/jsx'

/** A small line drawing. A word beside it says the same. */
export const Icon: FC<{
  readonly paths: readonly string[]
  /** Class of its color: `ok`. */
  readonly kind?: string
}> = ({ paths, kind }) => (
  <svg class={kind ? `icon ${kind}` : 'icon'} viewBox="0 0 16 16" aria-hidden="true">
    {paths.map((d) => (
      <path d={d} />
    ))}
  </svg>
)

/** Check mark for a finished step. */
export const TICK = ['M3 8.5l3.4 3.4L13 4.6']
