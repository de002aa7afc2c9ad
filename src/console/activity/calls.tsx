import type { FC } from 'hono/jsx'
import { State } from '../parts/state.tsx'
import { Table } from '../parts/table.tsx'
import { cut } from '../parts/texts.ts'
import type { ApiCallRecord } from './reading.ts'
import { figure, Time } from './times.tsx'

/** Maximum length of text from callers in the list. A call's page shows the full log entry. */
const MAX_SQL = 200
const MAX_WHO = 60
const MAX_NAME = 40

/** Table of calls, newest first. Its rows have ids for the script. */
export const CallsTable: FC<{
  readonly records: readonly ApiCallRecord[]
  /** Key labels. */
  readonly labels: ReadonlyMap<string, string>
  /** Base path of the pages for single calls. */
  readonly path: string
  readonly now: number
  /** Paths from which the script loads new rows and figures, and its interval in milliseconds. */
  readonly live?:
    | { readonly from: string; readonly figures: string; readonly every: number }
    | undefined
}> = ({ records, labels, path, now, live }) => (
  <Table
    caption="Calls, newest first. All times are in UTC."
    class="fold three calls"
    rows={records}
    rowId={({ id }) => id}
    body={{
      id: 'calls',
      'data-rows': live?.from,
      'data-figures': live?.figures,
      'data-every': live?.every,
    }}
    columns={[
      {
        head: 'Time (UTC)',
        class: 'small n',
        cell: (it) => (
          <a href={callHref(path, it)} class="dim">
            <Time at={it.time} now={now} />
          </a>
        ),
      },
      {
        head: 'Caller and app',
        class: 'right two',
        cell: ({ caller, client }) => (
          <>
            <bdi>{cut(whoOf(caller, labels), MAX_WHO)}</bdi>
            <span class="under">
              <bdi>{client ? cut(appOf(client), MAX_NAME) : 'unknown'}</bdi>
            </span>
          </>
        ),
      },
      {
        head: 'Tool',
        class: 'whole flat',
        cell: ({ tool = 'none', endpoint }) => (
          <>
            <code dir="auto">{cut(tool, MAX_NAME)}</code>
            <span class="under">{endpoint}</span>
          </>
        ),
      },
      { head: 'Statement', class: 'whole', cell: (it) => <Ran record={it} path={path} /> },
      {
        head: 'Rows',
        class: 'n',
        label: 'rows',
        cell: ({ outcome, rows }) => (outcome === 'ok' ? figure(rows) : '–'),
      },
      {
        head: 'ms',
        class: 'n right',
        label: 'ms',
        cell: ({ milliseconds }) => figure(milliseconds),
      },
      { head: 'Outcome', class: 'right', cell: (it) => <Outcome record={it} /> },
    ]}
  />
)

/** Link to a call's page. */
const callHref = (path: string, { id, endpoint }: ApiCallRecord, at = ''): string =>
  `${path}/calls/${id}${at}?${new URLSearchParams({ endpoint })}`

const Ran: FC<{ readonly record: ApiCallRecord; readonly path: string }> = ({ record, path }) => {
  const { statements = [], calls = 1 } = record
  const [first] = statements
  const more = statements.length - 1
  return (
    <>
      {first ? (
        <a class="sql" dir="auto" href={callHref(path, record, '/open')}>
          {cut(first.sql ?? 'a statement that cannot be logged', MAX_SQL)}
        </a>
      ) : (
        <span class="dim">–</span>
      )}
      {more > 0 && <span class="under">and {more} more</span>}
      {calls > 1 && <span class="under">{figure(calls)} times, before it was parsed</span>}
      {record.outcome !== 'ok' && <span class="under">{reasonOf(record)}</span>}
    </>
  )
}

/** Outcome of a call: a shape and a word. */
export const Outcome: FC<{ readonly record: ApiCallRecord }> = ({ record: { outcome, code } }) => {
  if (outcome === 'ok') return <State kind="ok" word="Answered" />
  if (outcome === 'refused') return <State kind="bad" word="Refused" />
  if (code === 'timeout') return <State kind="low" word="Stopped" />
  return <State kind="bad" word="Failed" />
}

/** Reason a call was not answered. */
export const reasonOf = ({ code = '' }: ApiCallRecord): string =>
  Object.hasOwn(REASONS, code)
    ? REASONS[code]!
    : code
      ? `Code ${code}.`
      : 'The arguments are wrong, or the caller has no such tool.'

const REASONS: Readonly<Record<string, string>> = {
  refused: 'The guard, the database or its role refused it.',
  sql: 'The statement is wrong.',
  timeout: 'It took too long, or the app disconnected.',
  too_large: 'It exceeds the caps.',
  auth: 'The database refused the login.',
  network: 'The database did not answer.',
  config: 'The database cannot be opened with its configuration.',
  '4030': 'The endpoint is switched off.',
  '4031': 'The key or person has no access to the endpoint.',
  '4032': 'The access token does not grant read access.',
  '4290': 'Too many calls in a minute.',
  '5030': 'None of the endpoint’s databases can be opened, or a tool cannot run.',
  '5031': 'The registry did not answer.',
  '-32602': 'The tool does not exist, or its arguments are missing.',
}

/** Name of a caller for people. */
export function whoOf(caller: string | undefined, labels?: ReadonlyMap<string, string>): string {
  if (caller === undefined) return 'without a key'
  if (caller === 'key') return 'operator'
  const label = labels?.get(caller)
  return label === undefined ? caller : `key “${label}”`
}

/** The app's own name and version. */
export const appOf = ({ name, version }: NonNullable<ApiCallRecord['client']>): string =>
  version ? `${name} ${version}` : name
