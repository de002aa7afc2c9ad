import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Moment } from '../parts/moment.tsx'
import { ask, type Visit } from '../visit.ts'

/** A call that somebody made here, as it is recorded. */
export interface PastRun {
  readonly id: string
  readonly time: string
  readonly tool?: string
  readonly client?: { readonly name: string }
  readonly statements?: readonly {
    readonly database: string
    readonly sql?: string
    readonly params?: string
  }[]
  readonly rows: number
  readonly milliseconds: number
  readonly outcome: 'ok' | 'error' | 'refused'
}

/** What the Console calls itself, and whom it asks as: {@link Visit.mcp}. */
const CLIENT = 'tidegate-console'
const CALLER = 'key'

/** How many records are looked through, and how many runs are shown. */
const MAX_RECORDS = 100
const MAX_RUNS = 10

/** The last runs in the Console at an endpoint, from its records. */
export async function pastRuns(visit: Visit, endpoint: string): Promise<readonly PastRun[]> {
  const query = new URLSearchParams({ endpoint, caller: CALLER, limit: `${MAX_RECORDS}` })
  const { status, body } = await ask(visit, 'GET', `/records?${query}`)
  if (status !== 200) return []
  const records = body.records as readonly PastRun[]
  return records.filter(({ client }) => client?.name === CLIENT).slice(0, MAX_RUNS)
}

/** The arguments of a run, as far as its record has them: the statement of a free query. */
export function argumentsOf({ tool, statements = [] }: PastRun, endpoint: ShownEndpoint) {
  const [first] = statements
  // Of other tools, the records have the statement that was made, and not the arguments.
  if (tool !== 'query' || first?.sql === undefined) return undefined
  // A tool for one database takes no name of it.
  const isOneOfSeveral = Object.keys(endpoint.databases).length > 1
  return {
    ...(isOneOfSeveral && { database: first.database }),
    sql: first.sql,
    ...(first.params !== undefined && { params: parsed(first.params) }),
  }
}

/** Long values are cut in a record. */
function parsed(params: string): unknown {
  try {
    return JSON.parse(params)
  } catch {
    return params
  }
}

/** The last runs, each of which fills the form again. */
export const History = ({
  runs,
  path,
}: {
  readonly runs: readonly PastRun[]
  readonly path: string
}) => (
  <section class="stack" aria-labelledby="history">
    <h2 id="history">History</h2>
    {runs.length === 0 ? (
      <p class="small dim">
        Nothing was run here yet, or this endpoint keeps no records. A run stands here a moment
        after its answer.
      </p>
    ) : (
      <table role="table" class="bare fold three">
        <caption class="hidden">What was run in the Console</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              Time
            </th>
            <th role="columnheader" scope="col">
              Tool
            </th>
            <th role="columnheader" scope="col">
              Statement
            </th>
            <th role="columnheader" scope="col" class="n">
              Rows
            </th>
            <th role="columnheader" scope="col" class="n">
              ms
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {runs.map((run) => (
            <Row run={run} path={path} />
          ))}
        </tbody>
      </table>
    )}
  </section>
)

const Row = ({ run, path }: { readonly run: PastRun; readonly path: string }) => {
  const { id, time, tool = '', rows, milliseconds, outcome, statements } = run
  const said = statements?.[0]?.sql ?? tool
  return (
    <tr role="row">
      <td role="cell" class="small dim nowrap">
        <Moment at={time} />
      </td>
      <td role="cell" class="right two">
        <code>{tool}</code>
      </td>
      <td role="cell" class="whole">
        <a class="sql" href={`${path}?again=${encodeURIComponent(id)}`} dir="auto">
          {said.length > MAX_SAID ? `${said.slice(0, MAX_SAID)}…`.toWellFormed() : said}
        </a>
      </td>
      <td role="cell" class={outcome === 'ok' ? 'n' : 'n bad'} data-label="rows">
        {outcome === 'ok' ? rows : outcome === 'error' ? 'failed' : 'refused'}
      </td>
      <td role="cell" class="n right" data-label="ms">
        {milliseconds}
      </td>
    </tr>
  )
}

const MAX_SAID = 120
