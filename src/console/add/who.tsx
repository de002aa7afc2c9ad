import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Draft, fresh, type Refused, refusedBy } from '../parts/draft.ts'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { pathWith, Search } from '../parts/pages.tsx'
import { ask, type Visit } from '../visit.ts'
import { pathOf } from './gauge.tsx'
import { type Change, changeSeen, type Group, groupOf, type Sees, seenBy } from './group.ts'
import { PreviewShown, previewOf } from './preview.tsx'
import { allColumns, columnsOf, tablesOf } from './schema.ts'
import { storedOne } from './stored.ts'
import { ColumnTicks, TableTicks, ticksIn } from './ticks.tsx'
import { WholeOrNothing, WhoPage } from './who-page.tsx'

/** What is shown of the step: a page of the tables of a database, or of the columns of a table. */
export interface Asked {
  readonly group?: string | undefined
  readonly database: string
  readonly search?: string | undefined
  readonly table?: string | undefined
  readonly offset: number
  readonly done?: string | undefined
}

const TABLES = 20
const COLUMNS = 100

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
        : await changeSeen(env, group, endpoint, asked.database, change.change)
    if (refused) return whoPage(env, endpoint, asked, new Draft(undefined, refused as Refused))
    return seeOther(hrefOf(endpoint, { ...asked, done: 'saved' }))
  })

function askedIn(
  { databases }: ShownEndpoint,
  query: Readonly<Record<string, string | undefined>>,
): Asked {
  const [first = 'main'] = Object.keys(databases)
  const { group, database = '', search, table, offset = '0', done } = query
  return {
    group: group || undefined,
    database: Object.hasOwn(databases, database) ? database : first,
    search: search?.slice(0, 200) || undefined,
    table: table?.slice(0, 1_000) || undefined,
    offset: /^\d{1,6}$/.test(offset) ? Number(offset) : 0,
    done,
  }
}

const hrefOf = ({ name }: ShownEndpoint, { offset, ...asked }: Asked, part = ''): string =>
  pathWith(pathOf(name, 'who') + part, { ...asked, offset: offset || undefined })

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
  if (todo === 'none') return { change: { tables: {} } }
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
  return { change: { tables: { [table]: isWhole ? true : columns.length > 0 ? columns : null } } }
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
  const choice = group ? await choiceOf(visit, endpoint, asked, sees) : <Everybody />
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

async function choiceOf(
  visit: Visit,
  endpoint: ShownEndpoint,
  asked: Asked,
  sees: Sees | undefined,
) {
  const { database, search, table, offset } = asked
  const action = hrefOf(endpoint, { ...asked, done: undefined }, '/ticks')
  const whole = <WholeOrNothing visit={visit} action={action} sees={sees} />
  const several = <Databases endpoint={endpoint} asked={asked} />
  if (sees === 'all' || sees === undefined) return [several, whole]
  const part = { database, offset, limit: table === undefined ? TABLES : COLUMNS }
  if (table !== undefined) {
    const page = await columnsOf(visit, endpoint.name, { ...part, table })
    if ('problem' in page) return <Problem text={page.problem} />
    const seen = Object.hasOwn(sees, table) ? sees[table] : undefined
    const on = page.next
    return (
      <>
        <h3 dir="auto">
          Columns of <code>{table}</code>
        </h3>
        {page.columns.length > 0 && (
          <ColumnTicks visit={visit} action={action} page={page} seen={seen} />
        )}
        <Onward
          endpoint={endpoint}
          asked={asked}
          next={on}
          total={page.totalColumns}
          what="columns"
        />
        <p>
          <a href={hrefOf(endpoint, { ...asked, table: undefined, offset: 0, done: undefined })}>
            All tables
          </a>
        </p>
      </>
    )
  }
  const page = await tablesOf(visit, endpoint.name, { ...part, search })
  if ('problem' in page) return <Problem text={page.problem} />
  return (
    <>
      {several}
      {whole}
      <Search
        label="Text in the name of a table, a column or a comment"
        value={search}
        hidden={{ group: asked.group, database }}
      />
      {page.tables.length > 0 ? (
        <TableTicks
          visit={visit}
          action={action}
          page={page}
          sees={sees}
          columnsHref={(it) =>
            hrefOf(endpoint, { ...asked, table: it, search: undefined, offset: 0, done: undefined })
          }
        />
      ) : (
        <p>There is no such table.</p>
      )}
      <Onward endpoint={endpoint} asked={asked} next={page.next} total={page.total} what="tables" />
    </>
  )
}

const Problem = ({ text }: { readonly text: string }) => (
  <div class="note bad">
    <p dir="auto">{text}</p>
  </div>
)

/** Leads through a list by pages. */
const Onward = ({
  endpoint,
  asked,
  next,
  total,
  what,
}: {
  readonly endpoint: ShownEndpoint
  readonly asked: Asked
  readonly next: number | undefined
  readonly total: number
  readonly what: string
}) =>
  asked.offset > 0 || next !== undefined ? (
    <div class="row">
      {asked.offset > 0 && (
        <a href={hrefOf(endpoint, { ...asked, offset: 0, done: undefined })}>First page</a>
      )}
      {next !== undefined && (
        <a href={hrefOf(endpoint, { ...asked, offset: next, done: undefined })}>Next page</a>
      )}
      <span class="small dim push">
        {total.toLocaleString('en')} {what} in all. Save before you go on.
      </span>
    </div>
  ) : null

/** Of several databases, the one whose tables are shown. */
const Databases = ({
  endpoint,
  asked,
}: {
  readonly endpoint: ShownEndpoint
  readonly asked: Asked
}) => {
  const names = Object.keys(endpoint.databases)
  if (names.length < 2) return null
  return (
    <p>
      Database:{' '}
      {names.map((it, i) => (
        <>
          {i > 0 && ', '}
          {it === asked.database ? (
            <b>{it}</b>
          ) : (
            <a href={hrefOf(endpoint, { group: asked.group, database: it, offset: 0 })}>{it}</a>
          )}
        </>
      ))}
    </p>
  )
}
