import type { FC } from 'hono/jsx'
import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Done } from '../parts/done.tsx'
import { ButtonLink } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { Pages, pathWith, Search } from '../parts/pages.tsx'
import { hidden, Table } from '../parts/table.tsx'
import { type Answers, ask, type ConsoleVisit, NotFound } from '../visit.ts'
import { AccessPage, NoSignIn } from './area.tsx'
import { namesOfEndpoints } from './endpoint-choice.tsx'

const GRANTS = '/console/access/grants'

const MESSAGES = {
  revoked: 'Grant revoked. Its app is refused everywhere within 10 seconds.',
  all: 'All of this person’s grants are revoked, and their sessions and codes have ended.',
}

/** `/console/access/grants`: people who signed in, and the apps that act for them. */
export const grants = new Hono<{ Bindings: ConsoleVisit }>()
  .get('/', async (c) => {
    const visit = c.env
    const { person, cursor, done } = c.req.query()
    const path = pathWith('/grants', { person, cursor, limit: 50 })
    const { body, refused } = await ask<Answers['Grants']>(visit, 'GET', path)
    return answer(
      <AccessPage
        visit={visit}
        part="grants"
        title="Grants"
        about="A grant lets an app read endpoints on behalf of a person."
      >
        <Done flag={done} messages={MESSAGES} />
        {refused ? (
          <NoSignIn message={refused.message} />
        ) : (
          <>
            <Search label="Person (exact name)" name="person" value={person} />
            {person && (
              <p class="row">
                <span>
                  Grants for <bdi>{person}</bdi>. <a href={GRANTS}>Show all grants</a>
                </span>
                <ButtonLink href={pathWith(`${GRANTS}/revoke-all`, { person })} text="Revoke all" />
              </p>
            )}
            <div class="panel flush">
              <GrantTable
                grants={body?.grants ?? []}
                isSought={Boolean(person)}
                isMore={Boolean(body?.next)}
              />
              <Pages
                path={GRANTS}
                query={{ person, cursor }}
                of={person ? { next: body?.next } : body}
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
      <AccessPage visit={c.env} part="grants" title={`Revoke all grants for ${person}`} slim>
        <Confirm
          visit={c.env}
          action={pathWith(`${GRANTS}/revoke-all`, { person })}
          verb="Revoke all"
          back={pathWith(GRANTS, { person })}
        >
          <p>
            Every app that acts for <bdi>{person}</bdi> is refused within 10 seconds, and their
            browser sessions end. They can sign in again unless you first remove them at your
            provider or from <code>SIGN_IN_ALLOW</code>.
          </p>
          <p>Keys are separate. Revoke theirs as well.</p>
        </Confirm>
      </AccessPage>,
    )
  })
  .post('/revoke-all', async (c) => {
    const person = c.req.query('person') ?? ''
    const { refused } = await ask(c.env, 'DELETE', pathWith('/grants', { person }))
    if (refused) throw new NotFound(refused.message)
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
            <bdi>{client.slice(0, 200)}</bdi> is refused within 10 seconds. It then asks{' '}
            <bdi>{person.slice(0, 200)}</bdi> to sign in again.
          </p>
        </Confirm>
      </AccessPage>,
    )
  })
  .post('/:id/revoke', async (c) => {
    const path = `/grants/${encodeURIComponent(c.req.param('id'))}`
    const { refused } = await ask(c.env, 'DELETE', path)
    if (refused) throw new NotFound(refused.message)
    return seeOther(`${GRANTS}?done=revoked`)
  })

const GrantTable: FC<{
  readonly grants: readonly Answers['Grant'][]
  readonly isSought: boolean
  readonly isMore: boolean
}> = ({ grants, isSought, isMore }) =>
  grants.length === 0 ? (
    <p class="in">
      {isMore
        ? 'None on this page.'
        : isSought
          ? 'This person has no grant.'
          : 'Nobody has signed in.'}
    </p>
  ) : (
    <Table
      caption="Grants"
      class="fold"
      rows={grants}
      columns={[
        {
          head: 'Person',
          isName: true,
          class: 'whole',
          cell: ({ person }) => (
            <a href={pathWith(GRANTS, { person })} dir="auto">
              {person}
            </a>
          ),
        },
        {
          head: 'App',
          class: 'whole',
          cell: ({ client, clientDomain }) => (
            <>
              <bdi>{client}</bdi>
              {clientDomain && <span class="under">{clientDomain}</span>}
            </>
          ),
        },
        {
          head: 'Can read',
          class: 'whole',
          cell: ({ endpoints }) => namesOfEndpoints(endpoints),
        },
        { head: 'Last used', label: 'used', cell: ({ usedAt }) => <Moment at={usedAt} /> },
        {
          head: 'Expires',
          class: 'right',
          label: 'expires',
          cell: ({ expiresAt }) => <Moment at={expiresAt} />,
        },
        {
          head: hidden('Change'),
          class: 'whole n',
          cell: ({ id, person, client }) => (
            <a
              href={pathWith(`${GRANTS}/${id}/revoke`, { person, client })}
              aria-label={`Revoke ${client} for ${person}`}
            >
              Revoke
            </a>
          ),
        },
      ]}
    />
  )
