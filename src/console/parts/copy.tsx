import type { Child } from 'hono/jsx'

/** A text to copy, and the button that copies it. */
export const Copy = ({
  id,
  what,
  big = false,
  children,
}: {
  readonly id: string
  /** What is copied, for a screen reader: `the URL`. */
  readonly what: string
  readonly big?: boolean
  readonly children: Child
}) => (
  <div class={big ? 'copy big' : 'copy'}>
    <pre id={id}>{children}</pre>
    <button
      class={big ? 'button' : 'button little'}
      type="button"
      data-copy={id}
      aria-label={`Copy ${what}`}
    >
      Copy
    </button>
  </div>
)
