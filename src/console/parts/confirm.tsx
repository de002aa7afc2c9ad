import type { Child, FC } from 'hono/jsx'
import type { ConsoleVisit } from '../visit.ts'
import { Form, Submit } from './form.tsx'

/** Confirmation: the consequences of a change, and its button. */
export const Confirm: FC<{
  readonly visit: ConsoleVisit
  readonly action: string
  /** Text of the button: `Revoke the key`. */
  readonly verb: string
  readonly back: string
  readonly children: Child
}> = ({ visit, action, verb, back, children }) => (
  <div class="stack">
    <div class="note bad">{children}</div>
    <Form visit={visit} action={action} class="row">
      <Submit text={verb} />
      <a href={back}>Cancel</a>
    </Form>
  </div>
)
