import type { FC } from 'hono/jsx'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Moment } from '../parts/moment.tsx'
import { Table } from '../parts/table.tsx'
import { cut } from '../parts/texts.ts'
import { type Answers, ask, type ConsoleVisit } from '../visit.ts'

/** Entry in the call log for a run in the Workbench. */
export type PastRun = Answers['Record']

/** Client name of the Console: {@link ConsoleVisit.mcp}. */
const CLIENT = 'tidegate-console'

/** Caller in the call log for an operator. With the admin key alone, there is no name. */
const callerOf = ({ operator }: ConsoleVisit): string =>
  operator === 'operator' ? 'key' : operator

/** Maximum number of log entries to search, and of runs to show. */
const MAX_RECORDS = 100
const MAX_RUNS = 10

/** An operator's last runs at an endpoint, from the call log. */
export async function pastRuns(visit: ConsoleVisit, endpoint: string): Promise<readonly PastRun[]> {
  const query = new URLSearchParams({ endpoint, caller: callerOf(visit), limit: `${MAX_RECORDS}` })
  const { body } = await ask<Answers['Records']>(visit, 'GET', `/records?${query}`)
  const records = body?.records ?? []
  return records.filter(({ client }) => client?.name === CLIENT).slice(0, MAX_RUNS)
}

/** Arguments of a run, if the call log has them: only for the tool `query`. */
export function argumentsOf({ tool, statements = [] }: PastRun, endpoint: ShownEndpoint) {
  const [first] = statements
  // For other tools, the log has the generated statement and not the arguments.
  if (tool !== 'query' || first?.sql === undefined) return undefined
  // With one database, tools have no argument for its name.
  const isOneOfSeveral = Object.keys(endpoint.databases).length > 1
  return {
    ...(isOneOfSeveral && { database: first.database }),
    sql: first.sql,
    ...(first.params !== undefined && { params: parsed(first.params) }),
  }
}

/** Parses values, unless the log cut them. */
function parsed(params: string): unknown {
  try {
    return JSON.parse(params)
  } catch {
    return params
  }
}

/** List of the last runs. Each link fills the form again. */
export const History: FC<{
  readonly runs: readonly PastRun[]
  readonly path: string
}> = ({ runs, path }) => (
  <section class="stack" aria-labelledby="history">
    <h2 id="history">History</h2>
    {runs.length === 0 ? (
      <p class="small dim">
        No runs yet, or this endpoint has no call log. A run appears here a moment after its answer.
      </p>
    ) : (
      <Table
        caption="Runs in the Console"
        class="bare fold three"
        rows={runs}
        columns={[
          { head: 'Time', class: 'small dim nowrap', cell: ({ time }) => <Moment at={time} /> },
          { head: 'Tool', class: 'right two', cell: ({ tool }) => <code>{tool}</code> },
          {
            head: 'Statement',
            class: 'whole',
            cell: ({ id, statements, tool = '' }) => {
              const sql = statements?.[0]?.sql ?? tool
              return (
                <a class="sql" href={`${path}?again=${encodeURIComponent(id)}`} dir="auto">
                  {cut(sql, MAX_SQL_CHARS)}
                </a>
              )
            },
          },
          {
            head: 'Rows',
            class: 'n',
            tone: ({ outcome }) => (outcome === 'ok' ? undefined : 'bad'),
            label: 'rows',
            cell: ({ outcome, rows }) =>
              outcome === 'ok' ? rows : outcome === 'error' ? 'failed' : 'refused',
          },
          {
            head: 'ms',
            class: 'n right',
            label: 'ms',
            cell: ({ milliseconds }) => milliseconds,
          },
        ]}
      />
    )}
  </section>
)

const MAX_SQL_CHARS = 120
