import { Hono } from 'hono/tiny'
import { answer } from '../answer.ts'
import { endpointOf } from '../parts/endpoint.ts'
import { ButtonLink } from '../parts/form.tsx'
import { Note } from '../parts/note.tsx'
import { EndpointPage } from '../parts/page.tsx'
import { pathWith, Search } from '../parts/pages.tsx'
import { GROUPS } from '../rules/group.ts'
import { type Answers, ask, type ConsoleVisit } from '../visit.ts'
import { GroupTable } from './group-table.tsx'
import { KeyPanel } from './key-table.tsx'

/** Number of keys, and of groups, per page. */
const PAGE = 20

/** `/console/endpoints/NAME/access`: keys and groups that open this endpoint. */
export const endpointAccess = new Hono<{ Bindings: ConsoleVisit }>().get('/', async (c) => {
  const visit = c.env
  const endpoint = await endpointOf(visit, c.req.param('name'))
  const { name } = endpoint
  const { search, cursor, groups: from } = c.req.query()
  const read = <List,>(list: string, query: Readonly<Record<string, string | undefined>>) =>
    ask<List>(visit, 'GET', pathWith(list, { endpoint: name, ...query, limit: PAGE }))
  const [{ body: keys }, { body: { groups = [], next } = {} }] = await Promise.all([
    read<Answers['Keys']>('/keys', { search, cursor }),
    read<Answers['Groups']>('/groups', { cursor: from }),
  ])
  const path = `/console/endpoints/${name}/access`
  const change = <a href={`/console/endpoints/${name}/settings`}>change its access</a>
  return answer(
    <EndpointPage
      visit={visit}
      title={`Access to ${endpoint.title}`}
      endpoint={endpoint}
      tab="access"
    >
      <div class="stack far">
        {endpoint.access === 'public' && (
          <Note kind="low">
            This endpoint is public: anyone who knows its URL can query it without a key. Groups
            apply only to callers who identify themselves. To require a key, {change}.
          </Note>
        )}
        {endpoint.access === 'groups' && (
          <Note kind="low">
            Only members of the groups below can use this endpoint. To open it for keys without a
            group, {change}.
          </Note>
        )}
        <section class="stack">
          <div class="row">
            <h2>Keys</h2>
            <ButtonLink
              kind="main push"
              href={pathWith('/console/access/keys/new', { endpoint: name })}
              text="Create a key"
            />
          </div>
          {(search || (keys?.total ?? 0) > PAGE) && (
            <Search label="Label or person contains" value={search} />
          )}
          <KeyPanel found={keys} path={path} query={{ search, cursor }} isSought />
        </section>
        <section class="stack">
          <div class="row">
            <h2>Groups</h2>
            <ButtonLink kind="push" href={`${GROUPS}/new`} text="Create a group" />
          </div>
          {groups.length === 0 ? (
            <p class="dim">
              No group has rules for this endpoint. Callers without a group see all of it. Members
              of a group do not see it.
            </p>
          ) : (
            <div class="panel flush">
              <GroupTable groups={groups} endpoint={name} />
            </div>
          )}
          {next && (
            <p>
              <a href={pathWith(path, { groups: next })}>More groups</a>
            </p>
          )}
        </section>
        <section class="stack">
          <h2>People who signed in</h2>
          <p>
            The access that they granted to apps is under{' '}
            <a href="/console/access/grants">Grants</a>, for all endpoints.
          </p>
        </section>
      </div>
    </EndpointPage>,
  )
})
