import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Done } from '../parts/done.tsx'
import { fresh, refusedBy } from '../parts/draft.ts'
import { NotThere } from '../parts/endpoint.ts'
import { Field } from '../parts/field.tsx'
import { Moment } from '../parts/moment.tsx'
import { Pages, pathWith } from '../parts/pages.tsx'
import { ask, type Visit } from '../visit.ts'
import { AccessPage } from './area.tsx'
import { namesOfEndpoints } from './endpoint-choice.tsx'
import { NoSignIn } from './no-sign-in.tsx'

const GRANTS = '/console/access/grants'

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
