import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Done } from '../parts/done.tsx'
import { Draft, fresh, refusedBy } from '../parts/draft.ts'
import { endpointOf, NotThere } from '../parts/endpoint.ts'
import { Area, Problem } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { pathWith, Search } from '../parts/pages.tsx'
import { ask, type Visit } from '../visit.ts'
import { AccessPage } from './area.tsx'
import { columnsOf, type FoundTables, tablesOf } from './catalog.ts'
import { type DatabaseRules, GROUPS, groupOf, type ShownGroup, titleOf } from './group.ts'

const SAID = { saved: 'What it sees is saved. It holds everywhere within 10 seconds.' }

/** Columns of a page. */
const PAGE = 100

/** `…/tables/DATABASE`: the tables and columns of a database that a group sees. */
export const ruleTables = new Hono<{ Bindings: Visit }>()
  .get('/:database', async (c) => tablesPage(await placeOf(c.env, c.req.param()), c.req.query()))
  .post('/:database', async (c) => {
    const visit = c.env
    const place = await placeOf(visit, c.req.param())
    const { search, offset } = Object.fromEntries(visit.fields)
    const refused = await save(place, tablesIn(visit.fields, place.rules))
    if (refused) return tablesPage(place, { search, offset }, new Draft(visit.fields, refused))
    return seeOther(pathWith(pathOf(place), { search, offset, done: 'saved' }))
  })
  .get('/:database/columns', async (c) =>
    columnsPage(await placeOf(c.env, c.req.param()), c.req.query()),
  )
  .post('/:database/columns', async (c) => {
    const visit = c.env
    const place = await placeOf(visit, c.req.param())
    const { table = '', page, search } = Object.fromEntries(visit.fields)
    const columns = await columnsIn(place, table)
    const refused = await save(place, { tables: { [table]: columns } })
    if (refused) {
      return columnsPage(place, { table, page, search }, new Draft(visit.fields, refused))
    }
    const path = `${pathOf(place)}/columns`
    return seeOther(pathWith(path, { table, page, search, done: 'saved' }))
  })

interface Place {
  readonly visit: Visit
  readonly group: ShownGroup
  readonly endpoint: string
  readonly database: string
  /** Undefined if the group does not see the database. */
  readonly rules: DatabaseRules | undefined
}

async function placeOf(
  visit: Visit,
  { name = '', endpoint = '', database = '' }: Readonly<Record<string, string>>,
): Promise<Place> {
  const [group, { databases }] = await Promise.all([
    groupOf(visit, name),
    endpointOf(visit, endpoint),
  ])
  if (!Object.hasOwn(group.endpoints, endpoint) || !Object.hasOwn(databases, database)) {
    throw new NotThere(`The group ${name} has no database ${database} of an endpoint ${endpoint}.`)
  }
  const all = group.endpoints[endpoint]?.databases
  const rules = all ? (Object.hasOwn(all, database) ? all[database] : undefined) : {}
  return { visit, group, endpoint, database, rules }
}

const pathOf = ({ group, endpoint, database }: Place): string =>
  `${GROUPS}/${group.name}/endpoints/${endpoint}/tables/${database}`

/** Saves rules of the one database: what another person changes elsewhere stays. */
async function save({ visit, group, endpoint, database }: Place, patch: object) {
  const all = group.endpoints[endpoint]?.databases
  // The first rule for one database is where the list of those that are seen begins.
  const others = all ? {} : await othersOf(visit, endpoint)
  const databases = { ...others, [database]: patch }
  const path = pathWith(`/groups/${group.name}`, { unchangedSince: group.changedAt })
  return refusedBy(await ask(visit, 'PATCH', path, { endpoints: { [endpoint]: { databases } } }))
}

async function othersOf(visit: Visit, endpoint: string): Promise<object> {
  const { databases } = await endpointOf(visit, endpoint)
  return Object.fromEntries(Object.keys(databases).map((it) => [it, {}]))
}

/** What a form of tables asks for, as a merge patch of the rules of a database. */
function tablesIn(fields: URLSearchParams, rules: DatabaseRules = {}): object {
  const act = fields.get('act')
  if (act === 'all-tables') return { tables: null, schemas: null }
  if (act === 'some-tables') return { tables: {} }
  if (act === 'schemas') {
    const schemas = (fields.get('schemas') ?? '')
      .split('\n')
      .map((it) => it.trim())
      .filter(Boolean)
    return { schemas: schemas.length > 0 ? schemas : null, tables: rules.tables ?? {} }
  }
  const ticked = new Set(fields.getAll('table'))
  const changes = fields.getAll('shown').flatMap((table): [string, unknown][] => {
    const isSeen = act === 'tick' || (act !== 'untick' && ticked.has(table))
    const old = ownRule(rules, table)
    // A table that is ticked already keeps its columns.
    if (isSeen) return old ? [] : [[table, true]]
    return old ? [[table, null]] : []
  })
  return { tables: Object.fromEntries(changes) }
}

/** The columns that a form of one table leaves it: `true` for all, `null` for a table that is not seen. */
async function columnsIn(
  { visit, endpoint, database, rules = {} }: Place,
  table: string,
): Promise<true | null | readonly string[]> {
  const { fields } = visit
  if (fields.get('act') === 'all-columns') return true
  const shown = new Set(fields.getAll('shown'))
  const ticked = fields.getAll('column')
  const old = ownRule(rules, table)
  // Of a table that was seen whole, the columns of other pages go on being seen.
  if (old === true) {
    const { columns } = await columnsOf(visit, endpoint, database, table)
    const kept = columns.map(({ name }) => name).filter((it) => !shown.has(it))
    if (ticked.length === shown.size) return true
    return orNull([...kept, ...ticked])
  }
  return orNull([...(old ?? []).filter((it) => !shown.has(it)), ...ticked])
}

const orNull = (columns: readonly string[]) => (columns.length > 0 ? columns : null)

const ownRule = ({ tables = {} }: DatabaseRules, table: string) =>
  Object.hasOwn(tables, table) ? tables[table] : undefined

const Crumbs = ({ place: { group, endpoint } }: { readonly place: Place }) => (
  <>
    <a href={GROUPS}>Groups</a> / <a href={`${GROUPS}/${group.name}`}>{group.name}</a> /{' '}
    <a href={`${GROUPS}/${group.name}/endpoints/${endpoint}`}>{endpoint}</a>
  </>
)

async function tablesPage(
  place: Place,
  query: Readonly<Record<string, string | undefined>>,
  draft: Draft = fresh,
): Promise<Response> {
  const { visit, group, endpoint, database, rules } = place
  const { search, offset, done } = query
  const isLimited = Boolean(rules?.tables || rules?.schemas)
  const found = isLimited
    ? await tablesOf(visit, endpoint, { database, search, offset })
    : { tables: [], total: 0 }
  return answer(
    <AccessPage
      visit={visit}
      part="groups"
      title={`${titleOf(group)}: tables of ${database}`}
      crumbs={
        <>
          <Crumbs place={place} /> / {database}
        </>
      }
      slim
    >
      <Done flag={done} said={SAID} />
      <Problem draft={draft} />
      {!rules && (
        <p>
          The group does not see this database at all. What is ticked here, it sees from then on.
        </p>
      )}
      {isLimited ? (
        <Limited place={place} query={query} draft={draft} found={found} />
      ) : (
        <Form visit={visit} action={pathOf(place)} class="stack">
          <p>It sees every table, also those that come later.</p>
          <div class="row">
            <button class="button main" type="submit" name="act" value="some-tables">
              Let it see only what is ticked
            </button>
          </div>
          <p class="small dim">Nothing is ticked then, so it sees no table until you tick some.</p>
        </Form>
      )}
    </AccessPage>,
    draft.refused ? 422 : 200,
  )
}

const Limited = ({
  place,
  query: { search, offset },
  draft,
  found: { tables, total, next, problem },
}: {
  readonly place: Place
  readonly query: Readonly<Record<string, string | undefined>>
  readonly draft: Draft
  readonly found: FoundTables
}) => {
  const { visit, rules = {} } = place
  const path = pathOf(place)
  const count = Object.keys(rules.tables ?? {}).length
  return (
    <>
      <p>
        {count} {count === 1 ? 'table is' : 'tables are'} ticked. SQL is off where the database
        can’t tell which tables a statement reads: the report of the group says so.
      </p>
      <Search label="Table, column or comment has" value={search} />
      {problem && (
        <div class="note bad">
          <p dir="auto">{problem}</p>
        </div>
      )}
      <Form visit={visit} action={path} class="panel flush">
        <input type="hidden" name="search" value={search ?? ''} />
        <input type="hidden" name="offset" value={offset ?? ''} />
        <ul class="checks members">
          {tables.map(({ name, columns }) => (
            <TableRow path={path} rules={rules} name={name} columns={columns} />
          ))}
          {tables.length === 0 && !problem && <li>No table is like this.</li>}
        </ul>
        <footer>
          <button class="button main little" type="submit" name="act" value="save">
            Save these ticks
          </button>
          <button class="button little" type="submit" name="act" value="tick">
            Tick all of this page
          </button>
          <button class="button little" type="submit" name="act" value="untick">
            Tick none of it
          </button>
          {offset && <a href={pathWith(path, { search })}>First page</a>}
          {next && <a href={pathWith(path, { search, offset: next })}>Next page</a>}
          <span class="dim push">{total.toLocaleString('en')} found</span>
        </footer>
      </Form>
      <Form visit={visit} action={path} class="panel stack">
        <Area
          draft={draft}
          name="schemas"
          label="Schemas that it sees whole, one in a line"
          stored={(rules.schemas ?? []).join('\n')}
          mono
        />
        <div class="row">
          <button class="button" type="submit" name="act" value="schemas">
            Save the schemas
          </button>
        </div>
      </Form>
      <Form visit={visit} action={path} class="row">
        <button class="button" type="submit" name="act" value="all-tables">
          Let it see every table
        </button>
      </Form>
    </>
  )
}

const TableRow = ({
  path,
  rules,
  name,
  columns,
}: {
  readonly path: string
  readonly rules: DatabaseRules
  readonly name: string
  readonly columns: number | undefined
}) => {
  const rule = ownRule(rules, name)
  const schema = name.includes('.') ? name.slice(0, name.indexOf('.')) : undefined
  const bySchema = schema !== undefined && rules.schemas?.includes(schema)
  const all = columns === undefined ? 'columns' : `of ${columns}`
  const seen = Array.isArray(rule) ? `${rule.length} ${all}` : rule ? `all ${all}` : 'none'
  return (
    <li>
      <input type="hidden" name="shown" value={name} />
      <input
        type="checkbox"
        name="table"
        value={name}
        checked={rule !== undefined}
        aria-label={`${name} is seen`}
      />
      <span dir="auto" class="mono">
        {name}
      </span>
      <span class="n">
        {bySchema ? (
          'by its schema'
        ) : (
          <a href={pathWith(`${path}/columns`, { table: name })}>
            {seen}
            <span class="hidden"> of {name}</span>
          </a>
        )}
      </span>
    </li>
  )
}

async function columnsPage(
  place: Place,
  query: Readonly<Record<string, string | undefined>>,
  draft: Draft = fresh,
): Promise<Response> {
  const { visit, group, endpoint, database, rules } = place
  const { table = '', search = '', done } = query
  const { columns, problem } = await columnsOf(visit, endpoint, database, table)
  const rule = ownRule(rules ?? {}, table)
  const sought = search.toLowerCase()
  const found = columns.filter(({ name }) => name.toLowerCase().includes(sought))
  const pages = Math.max(1, Math.ceil(found.length / PAGE))
  const page = Math.min(pages, Math.max(1, Math.trunc(Number(query.page)) || 1))
  const shown = found.slice((page - 1) * PAGE, page * PAGE)
  const path = pathOf(place)
  const at = (to: number) => pathWith(`${path}/columns`, { table, search, page: to })
  const isSeen = (column: string) => rule === true || (rule?.includes(column) ?? false)
  return answer(
    <AccessPage
      visit={visit}
      part="groups"
      title={`${titleOf(group)}: columns of ${table}`}
      crumbs={
        <>
          <Crumbs place={place} /> / <a href={path}>{database}</a> / <bdi>{table}</bdi>
        </>
      }
      slim
    >
      <Done flag={done} said={SAID} />
      <Problem draft={draft} />
      {problem && (
        <div class="note bad">
          <p dir="auto">{problem}</p>
        </div>
      )}
      <p>
        {rule === true
          ? 'It sees the whole table, also columns that come later.'
          : rule
            ? `It sees ${rule.length} of ${columns.length} columns. A column that comes later is not seen.`
            : 'It does not see this table. It does once you tick a column.'}
      </p>
      {(pages > 1 || search) && <Search label="Column has" value={search} hidden={{ table }} />}
      <Form visit={visit} action={`${path}/columns`} class="panel flush">
        <input type="hidden" name="table" value={table} />
        <input type="hidden" name="search" value={search} />
        <input type="hidden" name="page" value={`${page}`} />
        <ul class="checks members">
          {shown.map(({ name, type }) => (
            <li>
              <input type="hidden" name="shown" value={name} />
              <input
                type="checkbox"
                name="column"
                value={name}
                checked={isSeen(name)}
                aria-label={`${name} is seen`}
              />
              <span dir="auto" class="mono">
                {name}
              </span>
              <span class="n" dir="auto">
                {type}
              </span>
            </li>
          ))}
          {shown.length === 0 && !problem && <li>No column is like this.</li>}
        </ul>
        <footer>
          <button class="button main little" type="submit" name="act" value="save">
            Save these ticks
          </button>
          <button class="button little" type="submit" name="act" value="all-columns">
            Let it see every column
          </button>
          {page > 1 && <a href={at(page - 1)}>Page before</a>}
          {page < pages && <a href={at(page + 1)}>Next page</a>}
          <span class="dim push">{found.length} found</span>
        </footer>
      </Form>
    </AccessPage>,
    draft.refused ? 422 : 200,
  )
}
