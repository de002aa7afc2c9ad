import { Hono } from 'hono/tiny'
import { counted } from '../../ground/index.ts'
import { answer, seeOther } from '../answer.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Done } from '../parts/done.tsx'
import { FormDraft, fresh } from '../parts/draft.ts'
import { Field, Problem } from '../parts/field.tsx'
import { ButtonLink, Form, Submit } from '../parts/form.tsx'
import { Pages, pathWith, Search } from '../parts/pages.tsx'
import { GROUPS, groupOf, titleOf } from '../rules/group.ts'
import { type Answers, ask, type ConsoleVisit, demand } from '../visit.ts'
import { AccessPage, crumbsFrom, GroupCrumbs } from './area.tsx'
import { changeOf } from './group-change.ts'
import { groupPage } from './group-page.tsx'
import { ReportPage } from './group-report.tsx'
import { GroupTable } from './group-table.tsx'

const MESSAGES = {
  deleted: 'Group deleted. It no longer restricts its former members.',
}

/** `/console/access/groups`: the list, and one group. */
export const groups = new Hono<{ Bindings: ConsoleVisit }>()
  .get('/', async (c) => {
    const visit = c.env
    const { search, cursor, done } = c.req.query()
    const path = pathWith('/groups', { search, cursor, limit: 30 })
    const { body, refused } = await ask<Answers['Groups']>(visit, 'GET', path)
    return answer(
      <AccessPage
        visit={visit}
        part="groups"
        title="Groups"
        about="A group limits what its people and keys see of its endpoints. Callers without a group see everything that their key or sign-in opens."
        action={<ButtonLink kind="main" href={`${GROUPS}/new`} text="Create a group" />}
      >
        <Done flag={done} messages={MESSAGES} />
        <Search label="Name or title contains" value={search} />
        <div class="panel flush">
          {body?.groups.length ? (
            <GroupTable groups={body.groups} />
          ) : (
            <p class="in">{search ? 'No groups match.' : 'There are no groups.'}</p>
          )}
          <Pages path={GROUPS} query={{ search, cursor }} of={body} what="groups" />
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
    const group = { name, ...(title && { title }), endpoints: {} }
    const { refused } = await ask(c.env, 'POST', '/groups', group)
    if (refused) return newGroupPage(c.env, new FormDraft(fields, refused))
    return seeOther(`${GROUPS}/${name}`)
  })
  .get('/:name', (c) => groupPage(c.env, c.req.param('name'), c.req.query()))
  .post('/:name', async (c) => {
    const visit = c.env
    const group = await groupOf(visit, c.req.param('name'))
    const { patch, done } = changeOf(group, visit.fields)
    const path = pathWith(`/groups/${group.name}`, { unchangedSince: group.changedAt })
    const { refused } = await ask(visit, 'PATCH', path, patch)
    if (refused) return groupPage(visit, group.name, {}, new FormDraft(visit.fields, refused))
    return seeOther(`${GROUPS}/${group.name}?done=${done}`)
  })
  .get('/:name/report', async (c) => {
    const visit = c.env
    const group = await groupOf(visit, c.req.param('name'))
    const path = `/groups/${group.name}/test`
    const { endpoints } = await demand<Answers['GroupReports']>(visit, 'POST', path)
    return answer(<ReportPage visit={visit} group={group} reports={endpoints} />)
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
        crumbs={<GroupCrumbs group={group} />}
        slim
      >
        <Confirm visit={visit} action={`${path}/delete`} verb="Delete the group" back={path}>
          <p>
            This gives its members more access. Unless they are in another group,{' '}
            {counted(group.people.length, 'person', 'people')} and{' '}
            {counted(group.keys.length, 'key')} will see everything that their keys and sign-ins
            open. To cut off access, revoke those first.
          </p>
          <p>The group’s own connection strings are deleted too.</p>
        </Confirm>
      </AccessPage>,
    )
  })
  .post('/:name/delete', async (c) => {
    const name = c.req.param('name')
    const missing = `There is no group named ${name}. It may have been deleted already.`
    await demand(c.env, 'DELETE', `/groups/${encodeURIComponent(name)}`, missing)
    return seeOther(`${GROUPS}?done=deleted`)
  })

const newGroupPage = (visit: ConsoleVisit, draft: FormDraft): Response =>
  answer(
    <AccessPage
      visit={visit}
      part="groups"
      title="Create a group"
      crumbs={crumbsFrom('groups', 'new')}
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
          hint="Lowercase, such as sales. It can’t be changed later."
        />
        <Field
          draft={draft}
          name="title"
          label="Title"
          maxlength={80}
          hint="Name for people to read. Defaults to the name."
        />
        <div class="row">
          <Submit kind="main" text="Create the group" />
          <a href={GROUPS}>Back</a>
        </div>
      </Form>
    </AccessPage>,
    draft.refused ? 422 : 200,
  )
