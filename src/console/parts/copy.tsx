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
    <pre id={id}>{printable(children)}</pre>
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

/**
 * A text without control characters, which names of strangers may have: pasted into a terminal, they could end a paste
 * and run what follows.
 */
function printable(text: Child): Child {
  if (Array.isArray(text)) return text.map(printable)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant.
  return typeof text === 'string' ? text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, '\uFFFD') : text
}
