import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Copy } from '../parts/copy.tsx'
import { Done } from '../parts/done.tsx'
import { Draft, fresh, refusedBy } from '../parts/draft.ts'
import { NotThere } from '../parts/endpoint.ts'
import { Field, Problem } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { Pages, pathWith } from '../parts/pages.tsx'
import { ask, type Visit } from '../visit.ts'
import { AccessPage } from './area.tsx'
import { namesOfEndpoints } from './endpoint-choice.tsx'

const GRANTS = '/console/access/grants'
const SIGN_INS = '/console/access/sign-ins'

const SAID = {
  revoked: 'The grant is revoked. Its app is refused everywhere within 10 seconds.',
  all: 'All grants of this person are revoked, and their sessions and codes have ended.',
}

interface ShownGrant {
  readonly id: string
  readonly person: string
  readonly client: string
  readonly clientDomain?: string
  readonly endpoints: readonly string[]
  readonly usedAt: string
  readonly expiresAt: string
}

/** `/console/access/grants`: the people who signed in, and the apps that act for them. */
export const grants = new Hono<{ Bindings: Visit }>()
  .get('/', async (c) => {
    const visit = c.env
    const { person, cursor, done } = c.req.query()
    const found = await ask(visit, 'GET', pathWith('/grants', { person, cursor, limit: 50 }))
    const refused = refusedBy(found)
    const { grants: shown = [], next, total } = refused ? {} : found.body
    return answer(
      <AccessPage
        visit={visit}
        part="grants"
        title="Grants"
        about="A grant is what a person allowed an app: to read these endpoints in their name."
      >
        <Done flag={done} said={SAID} />
        {refused ? (
          <NoSignIn message={refused.message} />
        ) : (
          <>
            <search>
              <form class="search">
                <Field
                  draft={fresh}
                  name="person"
                  label="Person is exactly"
                  type="search"
                  stored={person}
                  maxlength={200}
                />
                <button class="button" type="submit">
                  Show
                </button>
              </form>
            </search>
            {person && (
              <p class="row">
                <span>
                  Grants of <bdi>{person}</bdi>. <a href={GRANTS}>Show all grants</a>
                </span>
                <a class="button" href={pathWith(`${GRANTS}/revoke-all`, { person })}>
                  Revoke all of theirs
                </a>
              </p>
            )}
            <div class="panel flush">
              <GrantTable grants={shown} isSought={Boolean(person)} isMore={Boolean(next)} />
              <Pages
                path={GRANTS}
                query={{ person }}
                cursor={cursor}
                next={next}
                total={person ? undefined : total}
                what="grants"
              />
            </div>
          </>
        )}
      </AccessPage>,
    )
  })
  .get('/revoke-all', (c) => {
    const person = c.req.query('person') ?? ''
    return answer(
      <AccessPage visit={c.env} part="grants" title={`Revoke all grants of ${person}`} slim>
        <Confirm
          visit={c.env}
          action={pathWith(`${GRANTS}/revoke-all`, { person })}
          verb="Revoke all of theirs"
          back={pathWith(GRANTS, { person })}
        >
          <p>
            Every app that acts for <bdi>{person}</bdi> is refused within 10 seconds, and the
            sessions of their browsers end. Whoever may still sign in can do so again: take them off
            the list at your provider or in <code>SIGN_IN_ALLOW</code> first.
          </p>
          <p>Keys are not grants. Revoke those as well.</p>
        </Confirm>
      </AccessPage>,
    )
  })
  .post('/revoke-all', async (c) => {
    const person = c.req.query('person') ?? ''
    const refused = refusedBy(await ask(c.env, 'DELETE', pathWith('/grants', { person })))
    if (refused) throw new NotThere(refused.message)
    return seeOther(`${GRANTS}?done=all`)
  })
  .get('/:id/revoke', (c) => {
    const id = c.req.param('id')
    const { person = '', client = 'the app' } = c.req.query()
    return answer(
      <AccessPage visit={c.env} part="grants" title="Revoke a grant" slim>
        <Confirm
          visit={c.env}
          action={`${GRANTS}/${encodeURIComponent(id)}/revoke`}
          verb="Revoke the grant"
          back={GRANTS}
        >
          <p>
            <bdi>{client.slice(0, 200)}</bdi> is refused within 10 seconds, and asks{' '}
            <bdi>{person.slice(0, 200)}</bdi> to sign in again.
          </p>
        </Confirm>
      </AccessPage>,
    )
  })
  .post('/:id/revoke', async (c) => {
    const path = `/grants/${encodeURIComponent(c.req.param('id'))}`
    const refused = refusedBy(await ask(c.env, 'DELETE', path))
    if (refused) throw new NotThere(refused.message)
    return seeOther(`${GRANTS}?done=revoked`)
  })

const NoSignIn = ({ message }: { readonly message: string }) => (
  <div class="note">
    <p>{message}</p>
    <p>
      <a href="/setup">What is not set yet</a>
    </p>
  </div>
)

const GrantTable = ({
  grants,
  isSought,
  isMore,
}: {
  readonly grants: readonly ShownGrant[]
  readonly isSought: boolean
  readonly isMore: boolean
}) =>
  grants.length === 0 ? (
    <p class="in">
      {isMore
        ? 'None on this page.'
        : isSought
          ? 'This person has no grant.'
          : 'Nobody has signed in.'}
    </p>
  ) : (
    <table role="table" class="fold">
      <caption class="hidden">Grants</caption>
      <thead role="rowgroup">
        <tr role="row">
          {['Person', 'App', 'May read', 'Used last', 'Ends'].map((it) => (
            <th role="columnheader" scope="col">
              {it}
            </th>
          ))}
          <th role="columnheader" scope="col">
            <span class="hidden">Change</span>
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {grants.map(({ id, person, client, clientDomain, endpoints, usedAt, expiresAt }) => (
          <tr role="row">
            <th role="rowheader" scope="row" class="whole">
              <a href={pathWith(GRANTS, { person })} dir="auto">
                {person}
              </a>
            </th>
            <td role="cell" class="whole">
              <bdi>{client}</bdi>
              {clientDomain && <span class="under">{clientDomain}</span>}
            </td>
            <td role="cell" class="whole">
              {namesOfEndpoints(endpoints)}
            </td>
            <td role="cell" data-label="used">
              <Moment at={usedAt} />
            </td>
            <td role="cell" class="right" data-label="ends">
              <Moment at={expiresAt} />
            </td>
            <td role="cell" class="whole n">
              <a
                href={pathWith(`${GRANTS}/${id}/revoke`, { person, client })}
                aria-label={`Revoke ${client} of ${person}`}
              >
                Revoke
              </a>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )

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
          It signs one person in, once, until <Moment at={expiresAt} /> from now. They type it at{' '}
          <code>{visit.origin}/signin</code>, or where an app leads them.
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
