import { Hono } from 'hono/tiny'
import { answer } from '../answer.ts'
import { Copy } from '../parts/copy.tsx'
import { Draft, fresh, refusedBy } from '../parts/draft.ts'
import { Field, Problem } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { ask, type Visit } from '../visit.ts'
import { AccessPage } from './area.tsx'
import { NoSignIn } from './no-sign-in.tsx'

const SIGN_INS = '/console/access/sign-ins'

interface SignInEvent {
  readonly kind: string
  readonly person?: string
  readonly client?: string
  readonly why?: string
  readonly reference: string
  readonly time: string
}

/** Events that are shown. */
const EVENTS = 100

/** `/console/access/sign-ins`: codes that sign one person in, and what happened at sign-ins. */
export const signIns = new Hono<{ Bindings: Visit }>()
  .get('/', (c) => signInsPage(c.env, fresh))
  .post('/', async (c) => {
    const visit = c.env
    const person = visit.fields.get('person')?.trim()
    const made = await ask(visit, 'POST', '/signin-codes', person ? { person } : {})
    const refused = refusedBy(made)
    if (refused) return signInsPage(visit, new Draft(visit.fields, refused))
    const { code, expiresAt } = made.body
    return answer(
      <AccessPage
        visit={visit}
        part="signIns"
        title={`Code for ${person || 'one person'}`}
        about="It is not shown again."
        slim
      >
        <Copy id="code" what="the code" big>
          {code}
        </Copy>
        <p>
          It is good once, and ends <Moment at={expiresAt} />. They type it at{' '}
          <code>{visit.origin}/signin</code> or where an app leads them, in place of the passphrase.
        </p>
        <p>
          <a class="button" href={SIGN_INS}>
            Back
          </a>
        </p>
      </AccessPage>,
      201,
    )
  })

async function signInsPage(visit: Visit, draft: Draft): Promise<Response> {
  const found = await ask(visit, 'GET', `/signin-events?limit=${EVENTS}`)
  const missing = refusedBy(found)
  return answer(
    <AccessPage
      visit={visit}
      part="signIns"
      title="Sign-ins"
      about="How people sign in is set for the deployment. The Doctor says what is wrong with it."
    >
      <Problem draft={draft} />
      {missing ? (
        <NoSignIn message={missing.message} />
      ) : (
        <>
          <section class="stack">
            <h2>A code for one sign-in</h2>
            <Form visit={visit} action={SIGN_INS} class="search">
              <Field
                draft={draft}
                name="person"
                label="Person"
                maxlength={200}
                hint="Whom it signs in, such as ada@example.com. Without a name they are called passphrase. It works for ten minutes."
              />
              <button class="button main" type="submit">
                Make a code
              </button>
            </Form>
          </section>
          <section class="stack">
            <h2>What happened</h2>
            <Events events={found.body.events} />
          </section>
        </>
      )}
    </AccessPage>,
    draft.refused ? 422 : 200,
  )
}

const Events = ({ events }: { readonly events: readonly SignInEvent[] }) =>
  events.length === 0 ? (
    <p class="dim">Nobody has tried to sign in.</p>
  ) : (
    <div class="panel flush">
      <table role="table" class="fold">
        <caption class="hidden">The last {events.length} events, the newest first</caption>
        <thead role="rowgroup">
          <tr role="row">
            {['Time', 'What', 'Person', 'App', 'Reference'].map((it) => (
              <th role="columnheader" scope="col">
                {it}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {events.map(({ time, kind, why, person, client, reference }) => (
            <tr role="row">
              <td role="cell">
                <Moment at={time} />
              </td>
              <td role="cell" class="whole">
                {kind}
                {why && (
                  <span class="under" dir="auto">
                    {why}
                  </span>
                )}
              </td>
              <td role="cell">
                <bdi>{person ?? '–'}</bdi>
              </td>
              <td role="cell">
                <bdi>{client ?? '–'}</bdi>
              </td>
              <td role="cell" class="mono">
                {reference}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
