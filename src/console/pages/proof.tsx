import { Form, Submit } from '../parts/form.tsx'
import { Page } from '../parts/page.tsx'
import { OPERATOR_KEY } from '../proof.ts'
import type { ConsoleVisit } from '../visit.ts'

/** Asks for the admin key, then submits the form again. */
export const ProofPage = ({
  visit,
  action,
}: {
  readonly visit: ConsoleVisit
  /** Path of the submitted form. */
  readonly action: string
}) => (
  <Page visit={visit} title="Confirm with your admin key" section="endpoints" slim>
    <h1>Confirm with your admin key</h1>
    <p>
      Nothing has changed yet. Over plain http, other programs on this machine can receive the
      cookie that keeps you signed in. So the Console does not rely on the cookie alone. If you
      entered a key before, it was wrong.
    </p>
    <Form visit={visit} action={action}>
      {[...visit.fields]
        .filter(([name]) => name !== 'form')
        .map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
      {/* For password managers. It has no name, so it is not sent. */}
      <input type="text" autocomplete="username" value="operator" hidden readonly />
      <div class="field">
        <label for="operator-key">Admin key</label>
        <input
          id="operator-key"
          name={OPERATOR_KEY}
          type="password"
          autocomplete="current-password"
          maxlength={4096}
          required
        />
      </div>
      <Submit text="Confirm" />
    </Form>
    <p>
      To avoid this step: sign out, allow JavaScript on this site, and sign in to the Console again.
    </p>
  </Page>
)
