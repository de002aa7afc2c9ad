import type { Child } from 'hono/jsx'
import type { Visit } from '../visit.ts'

/** A form that changes something: it holds the token by which the door knows that the page is ours. */
export const Form = ({
  visit,
  action,
  children,
  ...rest
}: {
  readonly visit: Pick<Visit, 'formToken'>
  /** A path of the Console. Without it, the page itself. */
  readonly action?: string
  readonly children: Child
  readonly class?: string
  readonly id?: string
  readonly 'aria-labelledby'?: string
}) => (
  <form method="post" action={action} {...rest}>
    <input type="hidden" name="form" value={visit.formToken} />
    {children}
  </form>
)
