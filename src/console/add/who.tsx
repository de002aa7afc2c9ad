import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Draft, fresh, type Refused, refusedBy } from '../parts/draft.ts'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { pathWith } from '../parts/pages.tsx'
import { ask, type Visit } from '../visit.ts'
import { type Asked, askedIn, hrefOf } from './asked.ts'
import { choiceOf } from './choice.tsx'
import { pathOf } from './gauge.tsx'
import { type Change, changeSeen, type Group, groupOf, seenBy } from './group.ts'
import { PreviewShown, previewOf } from './preview.tsx'
import { allColumns } from './schema.ts'
import { storedOne } from './stored.ts'
import { ticksIn } from './ticks.tsx'
import { WhoPage } from './who-page.tsx'

/** `/console/add/NAME/who`: who may see what. */
export const who = new Hono<{ Bindings: Visit }>()
  .get('/', async ({ env, req }) => {
    const endpoint = await storedOne(env, req.param('name'))
    return whoPage(env, endpoint, askedIn(endpoint, req.query()), fresh)
  })
  .post('/group', async ({ env, req }) => {
    const endpoint = await storedOne(env, req.param('name'))
    const name = env.fields.get('name')?.trim() ?? ''
    const [database = 'main'] = Object.keys(endpoint.databases)
    const endpoints = { [endpoint.name]: { databases: { [database]: { tables: {} } } } }
    const refused = refusedBy(await ask(env, 'POST', '/groups', { name, endpoints }))
    if (refused) {
      const draft = new Draft(env.fields, { ...refused, field: 'name' })
      return whoPage(env, endpoint, askedIn(endpoint, {}), draft)
    }
    return seeOther(pathWith(pathOf(endpoint.name, 'who'), { group: name, done: 'made' }))
  })
  .post('/ticks', async ({ env, req }) => {
    const endpoint = await storedOne(env, req.param('name'))
    const asked = askedIn(endpoint, req.query())
    const group = await groupOf(env, asked.group ?? '')
    const change = await changeIn(env, endpoint, asked, group)
    const refused =
      'problem' in change
        ? { message: change.problem }
        : isEmpty(change.change)
          ? undefined
          : await changeSeen(env, group, endpoint, asked.database, change.change)
    if (refused) return whoPage(env, endpoint, asked, new Draft(undefined, refused as Refused))
    return seeOther(onward(endpoint, asked, env.fields))
  })

/** Where the button of a form of ticks leads, once they are saved. */
function onward(endpoint: ShownEndpoint, asked: Asked, fields: URLSearchParams): string {
  const to = fields.get('to')
  if (to === 'connect') return pathWith(pathOf(endpoint.name, 'connect'), { group: asked.group })
  if (to === 'tables') return hrefOf(endpoint, { ...asked, table: undefined, offset: 0 })
  const columns = fields.get('columns')
  if (columns !== null) {
    return hrefOf(endpoint, { ...asked, table: columns, search: undefined, offset: 0 })
  }
  const search = fields.get('search') ?? asked.search ?? ''
  const isSame = search === (asked.search ?? '')
  const offset = fields.get('offset') ?? (isSame ? `${asked.offset}` : '0')
  const { group, database, table } = asked
  const next = askedIn(endpoint, { group, database, table, search, offset })
  return hrefOf(endpoint, fields.has('do') ? { ...next, done: 'saved' } : next)
}

/** Whether the ticks are as they were. */
const isEmpty = (change: Change) =>
  change !== 'all' && !change.reset && Object.keys(change.tables).length === 0

/** What a form of ticks changes. */
async function changeIn(
  visit: Visit,
  { name }: ShownEndpoint,
  { database, table }: Asked,
  group: Group,
): Promise<{ readonly change: Change } | { readonly problem: string }> {
  const { fields } = visit
  const todo = fields.get('do')
  if (todo === 'all') return { change: 'all' }
  if (todo === 'none') return { change: { tables: {}, reset: true } }
  const { shown, ticked } = ticksIn(fields)
  const sees = seenBy(group, name, database)
  const before = sees === 'all' || sees === undefined ? {} : sees
  if (table === undefined) {
    const tables = shown.flatMap((it) => {
      const was = Object.hasOwn(before, it) ? before[it] : undefined
      if (ticked.has(it) === (was !== undefined)) return []
      return [[it, ticked.has(it) ? true : null] as const]
    })
    return { change: { tables: Object.fromEntries(tables) } }
  }
  if (todo === 'whole') return { change: { tables: { [table]: true } } }
  const was = Object.hasOwn(before, table) ? before[table] : undefined
  const all =
    was === true ? await allColumns(visit, name, { database, table }) : { names: was ?? [] }
  if ('problem' in all) return all
  const columns = [
    ...all.names.filter((it) => !shown.includes(it)),
    ...shown.filter((it) => ticked.has(it)),
  ]
  const isWhole = was === true && columns.length === all.names.length
  const isSame = isWhole || (was === undefined && columns.length === 0)
  if (isSame) return { change: { tables: {} } }
  return { change: { tables: { [table]: columns.length > 0 ? columns : null } } }
}

async function whoPage(
  visit: Visit,
  endpoint: ShownEndpoint,
  asked: Asked,
  draft: Draft,
): Promise<Response> {
  const { body } = await ask(visit, 'GET', '/groups?limit=100')
  const group = asked.group ? await groupOf(visit, asked.group) : undefined
  const sees = group && seenBy(group, endpoint.name, asked.database)
  const isRefused = group !== undefined && sees === undefined
  const { database } = asked
  const several = Object.keys(endpoint.databases).length > 1
  const preview = isRefused
    ? { problem: 'Nothing: the group does not have this endpoint.' }
    : await previewOf(visit, endpoint.name, {
        group: group?.name,
        database: several ? database : undefined,
      })
  const choice = group ? await choiceOf(visit, endpoint, asked, sees) : { shown: <Everybody /> }
  return answer(
    <WhoPage
      visit={visit}
      endpoint={endpoint}
      groups={body?.groups ?? []}
      asked={asked}
      draft={draft}
      choice={choice}
      preview={<PreviewShown preview={preview} />}
    />,
    draft.refused ? 422 : 200,
  )
}

const Everybody = () => (
  <p>No group is chosen: the model of whoever has a key sees what stands here.</p>
)
