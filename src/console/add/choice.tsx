import type { Child } from 'hono/jsx'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import type { Visit } from '../visit.ts'
import { type Asked, hrefOf } from './asked.ts'
import type { Sees } from './group.ts'
import { columnsOf, tablesOf } from './schema.ts'
import { ColumnTicks, SaveAnd, TableTicks } from './ticks.tsx'
import { WholeOrNothing } from './whole-or-nothing.tsx'

/** Tables, and columns, of a page. */
const TABLES = 20
const COLUMNS = 100

/** What is chosen from. With ticks, whatever leads on has to save them. */
export interface Choice {
  readonly shown: Child
  readonly hasTicks?: boolean
}

/** What a group sees of a database, to be ticked: a page of its tables, or of the columns of one. */
export async function choiceOf(
  visit: Visit,
  endpoint: ShownEndpoint,
  asked: Asked,
  sees: Sees | undefined,
): Promise<Choice> {
  const { database, search, table, offset } = asked
  const action = hrefOf(endpoint, { ...asked, done: undefined }, '/ticks')
  const whole = <WholeOrNothing visit={visit} action={action} sees={sees} />
  const several = <Databases endpoint={endpoint} asked={asked} />
  if (sees === 'all' || sees === undefined) return { shown: [several, whole] }
  const part = { database, offset, limit: table === undefined ? TABLES : COLUMNS }
  if (table !== undefined) {
    const page = await columnsOf(visit, endpoint.name, { ...part, table })
    if ('problem' in page) return { shown: <Problem text={page.problem} /> }
    const seen = Object.hasOwn(sees, table) ? sees[table] : undefined
    const on = page.next
    const hasTicks = page.columns.length > 0
    const shown = (
      <>
        <h3 dir="auto">
          Columns of <code>{table}</code>
        </h3>
        {hasTicks && <ColumnTicks visit={visit} action={action} page={page} seen={seen} />}
        <Onward asked={asked} next={on} total={page.totalColumns} what="columns" />
        <p>
          {hasTicks ? (
            <SaveAnd class="button plain" name="to" value="tables">
              All tables
            </SaveAnd>
          ) : (
            <a href={hrefOf(endpoint, { ...asked, table: undefined, offset: 0, done: undefined })}>
              All tables
            </a>
          )}
        </p>
      </>
    )
    return { shown, hasTicks }
  }
  const page = await tablesOf(visit, endpoint.name, { ...part, search })
  if ('problem' in page) return { shown: <Problem text={page.problem} /> }
  const shown = (
    <>
      {several}
      {whole}
      <TableTicks visit={visit} action={action} page={page} search={search} sees={sees} />
      <Onward asked={asked} next={page.next} total={page.total} what="tables" />
    </>
  )
  return { shown, hasTicks: true }
}

const Problem = ({ text }: { readonly text: string }) => (
  <div class="note bad">
    <p dir="auto">{text}</p>
  </div>
)

/** Leads through a list by pages. */
const Onward = ({
  asked,
  next,
  total,
  what,
}: {
  readonly asked: Asked
  readonly next: number | undefined
  readonly total: number
  readonly what: string
}) =>
  asked.offset > 0 || next !== undefined ? (
    <div class="row">
      {asked.offset > 0 && (
        <SaveAnd class="button plain" name="offset" value="0">
          First page
        </SaveAnd>
      )}
      {next !== undefined && (
        <SaveAnd class="button plain" name="offset" value={`${next}`}>
          Next page
        </SaveAnd>
      )}
      <span class="small dim push">
        {total.toLocaleString('en')} {what} in all
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
