import { answer } from '../answer.ts'
import { Done } from '../parts/done.tsx'
import { type Draft, fresh } from '../parts/draft.ts'
import { Area, Problem } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { pathWith, Search } from '../parts/pages.tsx'
import { AccessPage } from './area.tsx'
import { type FoundTables, tablesOf } from './catalog.ts'
import { type DatabaseRules, titleOf } from './group.ts'
import { Crumbs, ownRule, type Place, pathOf, SAID } from './rule-place.tsx'

/** The tables of a database, ticked where a group sees them. */
export async function tablesPage(
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
          {(offset || next) && <span class="dim">Save before you turn the page.</span>}
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
