import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Done } from '../parts/done.tsx'
import { Draft, fresh, refusedBy } from '../parts/draft.ts'
import { NotThere } from '../parts/endpoint.ts'
import { Field, Problem } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Pages, pathWith, Search } from '../parts/pages.tsx'
import { ask, type Visit } from '../visit.ts'
import { AccessPage } from './area.tsx'
import { counted, GROUPS, groupOf, type ShownGroup, titleOf } from './group.ts'
import { changeOf } from './group-change.ts'
import { groupPage } from './group-page.tsx'
import { ReportPage } from './group-report.tsx'

const SAID = {
  deleted: 'The group is deleted. Those who were in it are restricted by it no longer.',
}

/** `/console/access/groups`: the list, and one group. */
export const groups = new Hono<{ Bindings: Visit }>()
  .get('/', async (c) => {
    const visit = c.env
    const { search, cursor, done } = c.req.query()
    const found = await ask(visit, 'GET', pathWith('/groups', { search, cursor, limit: 30 }))
    const refused = refusedBy(found)
    const { groups: shown = [], next, total } = refused ? {} : found.body
    return answer(
      <AccessPage
        visit={visit}
        part="groups"
        title="Groups"
        about="A group says what its people and keys may see of its endpoints. Who is in no group sees what the key opens."
        action={
          <a class="button main" href={`${GROUPS}/new`}>
            Make a group
          </a>
        }
      >
        <Done flag={done} said={SAID} />
        <Search label="Name or title has" value={search} />
        <div class="panel flush">
          {shown.length === 0 ? (
            <p class="in">{search ? 'No group is like this.' : 'There are no groups.'}</p>
          ) : (
            <GroupTable groups={shown} />
          )}
          <Pages
            path={GROUPS}
            query={{ search }}
            cursor={cursor}
            next={next}
            total={total}
            what="groups"
          />
        </div>
      </AccessPage>,
      refused ? 422 : 200,
    )
  })
  .get('/new', (c) => newGroupPage(c.env, fresh))
  .post('/new', async (c) => {
    const { fields } = c.env
    const name = fields.get('name') ?? ''
    const title = fields.get('title')
    const made = await ask(c.env, 'POST', '/groups', {
      name,
      ...(title && { title }),
      people: [],
      keys: [],
      endpoints: {},
    })
    const refused = refusedBy(made)
    if (refused) return newGroupPage(c.env, new Draft(fields, refused))
    return seeOther(`${GROUPS}/${name}`)
  })
  .get('/:name', (c) => groupPage(c.env, c.req.param('name'), c.req.query()))
  .post('/:name', async (c) => {
    const visit = c.env
    const group = await groupOf(visit, c.req.param('name'))
    const { patch, done, back = '' } = changeOf(group, visit.fields)
    const changed = await ask(
      visit,
      'PATCH',
      pathWith(`/groups/${group.name}`, { unchangedSince: group.changedAt }),
      patch,
    )
    const refused = refusedBy(changed)
    if (refused) return groupPage(visit, group.name, {}, new Draft(visit.fields, refused))
    return seeOther(`${GROUPS}/${group.name}?done=${done}${back}`)
  })
  .get('/:name/report', async (c) => {
    const visit = c.env
    const group = await groupOf(visit, c.req.param('name'))
    const { body } = await ask(visit, 'POST', `/groups/${group.name}/test`)
    return answer(<ReportPage visit={visit} group={group} reports={body?.endpoints ?? {}} />)
  })
  .get('/:name/delete', async (c) => {
    const visit = c.env
    const group = await groupOf(visit, c.req.param('name'))
    const path = `${GROUPS}/${group.name}`
    return answer(
      <AccessPage
        visit={visit}
        part="groups"
        title={`Delete ${titleOf(group)}`}
        crumbs={<Crumbs group={group} />}
        slim
      >
        <Confirm visit={visit} action={`${path}/delete`} verb="Delete the group" back={path}>
          <p>
            This widens what its members see: unless they are in another group,{' '}
            {counted(group.people.length, 'person', 'people')} and{' '}
            {counted(group.keys.length, 'key')} then see all that their keys and sign-ins open. To
            take something away from them, revoke those first.
          </p>
          <p>Connection strings of the group’s own are deleted with it.</p>
        </Confirm>
      </AccessPage>,
    )
  })
  .post('/:name/delete', async (c) => {
    const name = c.req.param('name')
    const { status } = await ask(c.env, 'DELETE', `/groups/${encodeURIComponent(name)}`)
    if (status === 404) throw new NotThere(`There is no group ${name}. It may be deleted already.`)
    if (status !== 204) throw new Error(`The API answered ${status}.`)
    return seeOther(`${GROUPS}?done=deleted`)
  })

const Crumbs = ({ group }: { readonly group: ShownGroup }) => (
  <>
    <a href={GROUPS}>Groups</a> / <a href={`${GROUPS}/${group.name}`}>{group.name}</a>
  </>
)

const GroupTable = ({ groups }: { readonly groups: readonly ShownGroup[] }) => (
  <table role="table" class="fold three">
    <caption class="hidden">Groups</caption>
    <thead role="rowgroup">
      <tr role="row">
        <th role="columnheader" scope="col">
          Group
        </th>
        <th role="columnheader" scope="col" class="n">
          People
        </th>
        <th role="columnheader" scope="col" class="n">
          Keys
        </th>
        <th role="columnheader" scope="col" class="n">
          Endpoints
        </th>
      </tr>
    </thead>
    <tbody role="rowgroup">
      {groups.map(({ name, title, people, keys, endpoints }) => (
        <tr role="row">
          <th role="rowheader" scope="row" class="whole">
            <a href={`${GROUPS}/${name}`} dir="auto">
              {title ?? name}
            </a>
            {title && <span class="under mono">{name}</span>}
          </th>
          <td role="cell" class="n" data-label="people">
            {people.length}
          </td>
          <td role="cell" class="n" data-label="keys">
            {keys.length}
          </td>
          <td role="cell" class="n" data-label="endpoints">
            {Object.keys(endpoints).length}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

const newGroupPage = (visit: Visit, draft: Draft): Response =>
  answer(
    <AccessPage
      visit={visit}
      part="groups"
      title="Make a group"
      crumbs={
        <>
          <a href={GROUPS}>Groups</a> / new
        </>
      }
      slim
    >
      <Problem draft={draft} />
      <Form visit={visit} action={`${GROUPS}/new`} class="stack far">
        <Field
          draft={draft}
          name="name"
          label="Name"
          maxlength={31}
          required
          mono
          hint="Lower case, such as sales. It can’t be changed later."
        />
        <Field
          draft={draft}
          name="title"
          label="Title"
          maxlength={80}
          hint="What people call it. Without one, its name."
        />
        <div class="row">
          <button class="button main" type="submit">
            Make the group
          </button>
          <a href={GROUPS}>Back</a>
        </div>
      </Form>
    </AccessPage>,
    draft.refused ? 422 : 200,
  )
