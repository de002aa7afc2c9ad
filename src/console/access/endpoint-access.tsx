import { Hono } from 'hono/tiny'
import { answer } from '../answer.ts'
import { endpointOf } from '../parts/endpoint.ts'
import { EndpointHead, Page } from '../parts/page.tsx'
import { Pages, pathWith, Search } from '../parts/pages.tsx'
import { ask, type Visit } from '../visit.ts'
import { counted, GROUPS, rulesInWords, type ShownGroup } from './group.ts'
import { KeyTable } from './key-table.tsx'

/** `/console/endpoints/NAME/access`: who may use this endpoint, and what they see of it. */
export const endpointAccess = new Hono<{ Bindings: Visit }>().get('/', async (c) => {
  const visit = c.env
  const endpoint = await endpointOf(visit, c.req.param('name'))
  const { name } = endpoint
  const { search, cursor, groups: groupsCursor } = c.req.query()
  const [keys, groups] = await Promise.all([
    ask(visit, 'GET', pathWith('/keys', { endpoint: name, search, cursor, limit: 20 })),
    ask(visit, 'GET', pathWith('/groups', { endpoint: name, cursor: groupsCursor, limit: 20 })),
  ])
  const path = `/console/endpoints/${name}/access`
  return answer(
    <Page visit={visit} title={`Access of ${endpoint.title}`} section="endpoints">
      <EndpointHead visit={visit} endpoint={endpoint} tab="access" />
      <div class="stack far">
        {endpoint.access === 'public' && (
          <div class="note low">
            <p>
              This endpoint is public: whoever knows its URL may ask, without a key. Groups hold for
              those who show who they are. To ask for a key,{' '}
              <a href={`/console/endpoints/${name}/settings`}>change its access</a>.
            </p>
          </div>
        )}
        <section class="stack">
          <div class="row">
            <h2>Keys</h2>
            <a
              class="button main push"
              href={pathWith('/console/access/keys/new', { endpoint: name })}
            >
              Make a key
            </a>
          </div>
          {(search || keys.body.total > 20) && (
            <Search label="Label or person has" value={search} />
          )}
          <div class="panel flush">
            <KeyTable keys={keys.body.keys ?? []} isSought />
            <Pages
              path={path}
              query={{ search }}
              cursor={cursor}
              next={keys.body.next}
              total={keys.body.total}
              what="keys"
            />
          </div>
        </section>
        <section class="stack">
          <div class="row">
            <h2>Groups</h2>
            <a class="button push" href={`${GROUPS}/new`}>
              Make a group
            </a>
          </div>
          <Groups name={name} groups={groups.body.groups ?? []} />
          {groups.body.next && (
            <p>
              <a href={pathWith(path, { groups: groups.body.next })}>More groups</a>
            </p>
          )}
        </section>
        <section class="stack">
          <h2>People who signed in</h2>
          <p>
            What they allowed their apps is under <a href="/console/access/grants">Grants</a>, for
            all endpoints.
          </p>
        </section>
      </div>
    </Page>,
  )
})

const Groups = ({
  name,
  groups,
}: {
  readonly name: string
  readonly groups: readonly ShownGroup[]
}) =>
  groups.length === 0 ? (
    <p class="dim">
      No group has rules for this endpoint. Whoever is in no group sees all of it; whoever is in a
      group does not see it.
    </p>
  ) : (
    <div class="panel flush">
      <table role="table" class="fold">
        <caption class="hidden">Groups that have this endpoint</caption>
        <thead role="rowgroup">
          <tr role="row">
            {['Group', 'Who', 'What it sees'].map((it) => (
              <th role="columnheader" scope="col">
                {it}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {groups.map(({ name: group, title, people, keys, endpoints }) => (
            <tr role="row">
              <th role="rowheader" scope="row" class="whole">
                <a href={`${GROUPS}/${group}`} dir="auto">
                  {title ?? group}
                </a>
              </th>
              <td role="cell" class="whole">
                {counted(people.length, 'person', 'people')}, {counted(keys.length, 'key')}
              </td>
              <td role="cell" class="whole">
                <a href={`${GROUPS}/${group}/endpoints/${name}`} class="sql">
                  {rulesInWords(endpoints[name] ?? {})}
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
