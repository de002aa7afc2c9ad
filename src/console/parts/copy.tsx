import type { Child, FC } from 'hono/jsx'

/** Text with a button that copies it. */
export const Copy: FC<{
  readonly id: string
  /** Name of the text for a screen reader: `the URL`. */
  readonly what: string
  readonly big?: boolean
  readonly children: Child
}> = ({ id, what, big = false, children }) => (
  <div class={big ? 'copy big' : 'copy'}>
    <pre id={id}>{printable(children)}</pre>
    <CopyButton id={id} label={`Copy ${what}`} big={big} />
  </div>
)

/** Button that copies the text of the element with this id. */
export const CopyButton: FC<{
  readonly id: string
  readonly label: string
  readonly big?: boolean
}> = ({ id, label, big = false }) => (
  <button class={big ? 'button' : 'button little'} type="button" data-copy={id} aria-label={label}>
    Copy
  </button>
)

/**
 * Replaces control characters, which strangers can put in names. Pasted into a terminal, they could end the paste and
 * run the rest.
 */
function printable(text: Child): Child {
  if (Array.isArray(text)) return text.map(printable)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to replace.
  return typeof text === 'string' ? text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, '\uFFFD') : text
}
