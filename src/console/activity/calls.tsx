import { State } from '../parts/state.tsx'
import type { CallRecord } from './reading.ts'
import { figure, Time } from './times.tsx'

/** Characters of what strangers wrote that a list shows. The page of a call has all that is kept. */
const MAX_SQL = 200
const MAX_WHO = 60
const MAX_NAME = 40

/** A list of calls, newest first. Its rows are found by their ids. */
export const CallsTable = ({
  rows,
  live,
}: {
  readonly rows: RowsProps
  /** Where the script looks for new ones and for figures, and how often, in milliseconds. */
  readonly live?:
    | { readonly from: string; readonly figures: string; readonly every: number }
    | undefined
}) => (
  <table role="table" class="fold three calls">
    <caption class="hidden">Calls, newest first. All times are of UTC.</caption>
    <thead role="rowgroup">
      <tr role="row">
        {['Time (UTC)', 'Who, with what', 'Tool', 'Statement'].map((it) => (
          <th role="columnheader" scope="col">
            {it}
          </th>
        ))}
        <th role="columnheader" scope="col" class="n">
          Rows
        </th>
        <th role="columnheader" scope="col" class="n">
          ms
        </th>
        <th role="columnheader" scope="col">
          Outcome
        </th>
      </tr>
    </thead>
    <tbody
      role="rowgroup"
      id="calls"
      data-rows={live?.from}
      data-figures={live?.figures}
      data-every={live?.every}
    >
      <Rows {...rows} />
    </tbody>
  </table>
)

/** What the rows of calls need. */
export interface RowsProps {
  readonly records: readonly CallRecord[]
  /** What keys are called. */
  readonly labels: ReadonlyMap<string, string>
  /** Where the pages of single calls are. */
  readonly path: string
  readonly now: number
}

/** A row for each call. */
export const Rows = ({ records, labels, path, now }: RowsProps) => (
  <>
    {records.map((it) => (
      <tr role="row" data-id={it.id}>
        <td role="cell" class="small n">
          <a href={callHref(path, it)} class="dim">
            <Time at={it.time} now={now} />
          </a>
        </td>
        <td role="cell" class="right two">
          <bdi>{short(whoOf(it.caller, labels), MAX_WHO)}</bdi>
          <span class="under">
            <bdi>{it.client ? short(appOf(it.client), MAX_NAME) : 'does not say'}</bdi>
          </span>
        </td>
        <td role="cell" class="whole flat">
          <code dir="auto">{short(it.tool ?? 'none', MAX_NAME)}</code>
          <span class="under">{it.endpoint}</span>
        </td>
        <td role="cell" class="whole">
          <Ran record={it} path={path} />
        </td>
        <td role="cell" class="n" data-label="rows">
          {it.outcome === 'ok' ? figure(it.rows) : '–'}
        </td>
        <td role="cell" class="n right" data-label="ms">
          {figure(it.milliseconds)}
        </td>
        <td role="cell" class="right">
          <Outcome record={it} />
        </td>
      </tr>
    ))}
  </>
)

/** Where a call is shown whole. */
export const callHref = (path: string, { id, endpoint }: CallRecord, at = ''): string =>
  `${path}/calls/${id}${at}?${new URLSearchParams({ endpoint })}`

const Ran = ({ record, path }: { readonly record: CallRecord; readonly path: string }) => {
  const { statements = [], calls = 1 } = record
  const [first] = statements
  const more = statements.length - 1
  return (
    <>
      {first ? (
        <a class="sql" dir="auto" href={callHref(path, record, '/open')}>
          {short(first.sql ?? 'a statement that cannot be read', MAX_SQL)}
        </a>
      ) : (
        <span class="dim">–</span>
      )}
      {more > 0 && <span class="under">and {more} more</span>}
      {calls > 1 && <span class="under">{figure(calls)} times, before it was read</span>}
      {record.outcome !== 'ok' && <span class="under">{reasonOf(record)}</span>}
    </>
  )
}

/** How a call ended: a shape and a word. */
export const Outcome = ({ record: { outcome, code } }: { readonly record: CallRecord }) => {
  if (outcome === 'ok') return <State kind="ok" word="Answered" />
  if (outcome === 'refused') return <State kind="bad" word="Refused" />
  if (code === 'timeout') return <State kind="low" word="Stopped" />
  return <State kind="bad" word="Failed" />
}

/** Why a call was not answered. */
export const reasonOf = ({ code = '' }: CallRecord): string =>
  Object.hasOwn(REASONS, code)
    ? REASONS[code]!
    : code
      ? `Code ${code}.`
      : 'Its arguments are wrong, or its caller has no such tool.'

const REASONS: Readonly<Record<string, string>> = {
  refused: 'The guard, the database or its role does not let it run.',
  sql: 'The statement is wrong.',
  timeout: 'It took too long, or its app left.',
  too_large: 'It asked for more than the caps allow.',
  auth: 'The database refuses the login.',
  network: 'The database does not answer.',
  config: 'The database cannot be opened as it is set up.',
  '4030': 'The endpoint is switched off.',
  '4031': 'The key or the person may not use the endpoint.',
  '4032': 'The access token does not allow to read.',
  '4290': 'There were too many calls in a minute.',
  '5030': 'No database of the endpoint can be opened, or a tool cannot run.',
  '5031': 'The registry did not answer.',
  '-32602': 'The tool or its arguments are not there.',
}

/** Who called, as people know them. */
export function whoOf(
  caller: string | undefined,
  labels: ReadonlyMap<string, string> = new Map(),
): string {
  if (caller === undefined) return 'without a key'
  if (caller === 'key') return 'operator'
  const label = labels.get(caller)
  return label === undefined ? caller : `key “${label}”`
}

/** An app, as it calls itself. */
export const appOf = ({ name, version }: NonNullable<CallRecord['client']>): string =>
  version ? `${name} ${version}` : name

/** The beginning of a text, which is not cut within a character. */
export const short = (text: string, chars: number): string =>
  text.length > chars ? `${text.slice(0, chars - 1).toWellFormed()}…` : text
