import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Mend } from '../parts/mend.tsx'
import { RoleReport } from '../stages/role-report.tsx'
import { type Outcome, type Stage, stagesOf, type TestedDatabase } from '../stages/tested.ts'
import type { Visit } from '../visit.ts'
import type { Checked } from './check.tsx'

/** Stages that are shown also if they are as they should be. */
const SHOWN = ['version', 'writes', 'role']

/** Databases of an endpoint whose SQL is shown. */
const MAX_REPORTS = 3

/** Characters of what an engine said. */
const MAX_DETAIL = 600

/** Looks at the databases of an endpoint. */
export async function endpointChecked(
  visit: Visit,
  { name, databases }: ShownEndpoint,
): Promise<readonly Checked[]> {
  const stages: Stage[] = []
  let outcome: Outcome | undefined
  for await (const it of stagesOf(visit, name)) {
    if ('stage' in it) stages.push(it)
    else outcome = it
  }
  const isSeveral = Object.keys(databases).length > 1
  let reports = 0
  return stages
    .filter(({ stage, state }) => state !== 'ok' || SHOWN.includes(stage))
    .map(({ stage, state, sentence, detail, ms, database }) => {
      const tested = outcome?.databases.find((it) => it.database === database)
      const hasReport = stage === 'role' && state !== 'ok' && tested !== undefined
      const isShown = hasReport && ++reports <= MAX_REPORTS
      return {
        state,
        ms,
        sentence: isSeveral ? `${database}: ${sentence}` : sentence,
        mend: hasReport ? (
          isShown ? (
            <Report tested={tested} id={`${name}-${database}`} isOpen={state === 'bad'} />
          ) : undefined
        ) : state === 'bad' ? (
          <MendOf endpoint={name} tested={tested} id={`${name}-${database}`} detail={detail} />
        ) : undefined,
      }
    })
}

const Report = ({
  tested,
  id,
  isOpen,
}: {
  readonly tested: TestedDatabase
  readonly id: string
  readonly isOpen: boolean
}) => (
  <details open={isOpen}>
    <summary class="small">What it may do, and the SQL that closes it</summary>
    <div class="stack">
      <RoleReport tested={tested} id={id} />
    </div>
  </details>
)

/** What mends a database that does not answer as it should. */
const MendOf = ({
  endpoint,
  tested,
  id,
  detail,
}: {
  readonly endpoint: string
  readonly tested: TestedDatabase | undefined
  readonly id: string
  readonly detail: string | undefined
}) =>
  tested?.mend ? (
    <Mend id={id} mend={tested.mend} />
  ) : (
    <div class="note bad">
      {detail && <p dir="auto">{detail.slice(0, MAX_DETAIL)}</p>}
      <p>
        <a href={`/console/endpoints/${endpoint}/settings#databases`}>
          Put in another connection string, or change its databases
        </a>
      </p>
    </div>
  )
