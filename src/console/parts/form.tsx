import type { Child, FC } from 'hono/jsx'
import type { ConsoleVisit } from '../visit.ts'

/** A form that changes something. Its token proves that the page is ours. */
export const Form: FC<{
  readonly visit: Pick<ConsoleVisit, 'formToken'>
  /** A path in the Console. Defaults to the page itself. */
  readonly action?: string
  readonly children: Child
  readonly class?: string
  readonly id?: string
  readonly 'aria-labelledby'?: string
}> = ({ visit, children, ...rest }) => (
  <form method="post" {...rest}>
    <input type="hidden" name="form" value={visit.formToken} />
    {children}
  </form>
)

/** Button that submits its form. */
export const Submit: FC<{
  readonly text: string
  /** Further classes: `main`, `little`, `plain`. */
  readonly kind?: string | undefined
  readonly name?: string
  readonly value?: string
  /** Id of its form, if it is outside. */
  readonly form?: string
  readonly formnovalidate?: boolean
  readonly 'aria-label'?: string
}> = ({ text, kind, ...rest }) => (
  <button class={kind ? `button ${kind}` : 'button'} type="submit" {...rest}>
    {text}
  </button>
)

/** Link that looks like a button. */
export const ButtonLink: FC<{
  readonly href: string
  readonly text: string
  /** Further classes: `main`, `push`. */
  readonly kind?: string | undefined
}> = ({ href, text, kind }) => (
  <a class={kind ? `button ${kind}` : 'button'} href={href}>
    {text}
  </a>
)
