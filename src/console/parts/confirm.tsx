import type { Child } from 'hono/jsx'
import type { Visit } from '../visit.ts'
import { Form } from './form.tsx'

/** What ends by a change, and the button that makes it. */
export const Confirm = ({
  visit,
  action,
  verb,
  back,
  children,
}: {
  readonly visit: Visit
  readonly action: string
  /** What the button says: `Revoke the key`. */
  readonly verb: string
  readonly back: string
  readonly children: Child
}) => (
  <div class="stack">
    <div class="note bad">{children}</div>
    <Form visit={visit} action={action} class="row">
      <button class="button" type="submit">
        {verb}
      </button>
      <a href={back}>Leave it as it is</a>
    </Form>
  </div>
)
