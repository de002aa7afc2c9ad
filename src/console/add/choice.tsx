import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Search } from '../parts/pages.tsx'
import type { Visit } from '../visit.ts'
import { type Asked, hrefOf } from './asked.ts'
import type { Sees } from './group.ts'
import { columnsOf, tablesOf } from './schema.ts'
import { ColumnTicks, TableTicks } from './ticks.tsx'
import { WholeOrNothing } from './who-page.tsx'

/** Tables, and columns, of a page. */
const TABLES = 20
const COLUMNS = 100

/** What a group sees of a database, to be ticked: a page of its tables, or of the columns of one. */
export async function choiceOf(
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
