import { Hono } from 'hono/tiny'
import { answer } from '../answer.ts'
import { Copy } from '../parts/copy.tsx'
import { FormDraft, fresh } from '../parts/draft.ts'
import { Field, Problem } from '../parts/field.tsx'
import { ButtonLink, Form, Submit } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { Table } from '../parts/table.tsx'
import { textIn } from '../parts/texts.ts'
import { type Answers, ask, type ConsoleVisit } from '../visit.ts'
import { AccessPage, NoSignIn } from './area.tsx'

const SIGN_INS = '/console/access/sign-ins'

/** Maximum number of events on the page. */
const EVENTS = 100

/** `/console/access/sign-ins`: one-time codes, and recent sign-in events. */
export const signIns = new Hono<{ Bindings: ConsoleVisit }>()
  .get('/', (c) => signInsPage(c.env, fresh))
  .post('/', async (c) => {
    const visit = c.env
    const person = textIn(visit.fields, 'person')
    const asked = person ? { person } : {}
    const made = await ask<Answers['SignInCode']>(visit, 'POST', '/signin-codes', asked)
    if (!made.ok) return signInsPage(visit, new FormDraft(visit.fields, made.refused))
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
          It works once and expires <Moment at={expiresAt} />. The person enters it instead of the
          passphrase, at <code>{visit.origin}/signin</code> or on the page that their app opens.
        </p>
        <p>
          <ButtonLink href={SIGN_INS} text="Back" />
        </p>
      </AccessPage>,
      201,
    )
  })

async function signInsPage(visit: ConsoleVisit, draft: FormDraft): Promise<Response> {
  const path = `/signin-events?limit=${EVENTS}`
  const found = await ask<{ events: Answers['SignInEvent'][] }>(visit, 'GET', path)
  return answer(
    <AccessPage
      visit={visit}
      part="signIns"
      title="Sign-ins"
      about="Sign-in is configured for the whole deployment. The Doctor checks it."
    >
      <Problem draft={draft} />
      {!found.ok ? (
        <NoSignIn message={found.refused.message} />
      ) : (
        <>
          <section class="stack">
            <h2>One-time code</h2>
            <Form visit={visit} action={SIGN_INS} class="search">
              <Field
                draft={draft}
                name="person"
                label="Person"
                maxlength={200}
                hint="The person to sign in, such as ada@example.com. If empty, they appear as passphrase. The code works for ten minutes."
              />
              <Submit kind="main" text="Create a code" />
            </Form>
          </section>
          <section class="stack">
            <h2>Recent events</h2>
            <Events events={found.body.events} />
          </section>
        </>
      )}
    </AccessPage>,
    draft.refused ? 422 : 200,
  )
}

const Events = ({ events }: { readonly events: readonly Answers['SignInEvent'][] }) =>
  events.length === 0 ? (
    <p class="dim">Nobody has tried to sign in.</p>
  ) : (
    <div class="panel flush">
      <Table
        caption={`The last ${events.length} events, newest first`}
        class="fold"
        rows={events}
        columns={[
          { head: 'Time', cell: ({ time }) => <Moment at={time} /> },
          {
            head: 'Event',
            class: 'whole',
            cell: ({ kind, why }) => (
              <>
                {kind}
                {why && (
                  <span class="under" dir="auto">
                    {why}
                  </span>
                )}
              </>
            ),
          },
          { head: 'Person', cell: ({ person }) => <bdi>{person ?? '–'}</bdi> },
          { head: 'App', cell: ({ client }) => <bdi>{client ?? '–'}</bdi> },
          { head: 'Reference', class: 'mono', cell: ({ reference }) => reference },
        ]}
      />
    </div>
  )
