import type { FC } from 'hono/jsx'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Fix } from '../parts/fix.tsx'
import { RoleReport } from '../stages/role-report.tsx'
import {
  stagesOf,
  type TestedDatabase,
  type TestOutcome,
  type TestStage,
} from '../stages/tested.ts'
import type { ConsoleVisit } from '../visit.ts'
import type { DoctorCheck } from './check.tsx'

/** Stages to show even if they pass. */
const SHOWN = ['version', 'writes', 'role']

/** Maximum number of databases per endpoint to show SQL for. */
const MAX_REPORTS = 3

/** Maximum length of an engine's message. */
const MAX_DETAIL = 600

/** Checks the databases in an endpoint. */
export async function checkEndpoint(
  visit: ConsoleVisit,
  { name, databases }: ShownEndpoint,
): Promise<readonly DoctorCheck[]> {
  const stages: TestStage[] = []
  let outcome: TestOutcome | undefined
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
      const check = { state, ms, sentence: isSeveral ? `${database}: ${sentence}` : sentence }
      const id = `${name}-${database}`
      if (stage === 'role' && state !== 'ok' && tested) {
        if (++reports > MAX_REPORTS) return check
        return { ...check, fix: <Report tested={tested} id={id} isOpen={state === 'bad'} /> }
      }
      if (state !== 'bad') return check
      const fix = tested?.fix ? (
        <Fix id={id} fix={tested.fix} />
      ) : (
        <Unknown endpoint={name} detail={detail} />
      )
      return { ...check, fix }
    })
}

const Report: FC<{
  readonly tested: TestedDatabase
  readonly id: string
  readonly isOpen: boolean
}> = ({ tested, id, isOpen }) => (
  <details open={isOpen}>
    <summary class="small">Rights of the role, and the SQL to remove them</summary>
    <div class="stack">
      <RoleReport tested={tested} id={id} />
    </div>
  </details>
)

/** A failed check for which no fix is known. */
const Unknown: FC<{ readonly endpoint: string; readonly detail: string | undefined }> = ({
  endpoint,
  detail,
}) => (
  <div class="note bad">
    {detail && <p dir="auto">{detail.slice(0, MAX_DETAIL)}</p>}
    <p>
      <a href={`/console/endpoints/${endpoint}/settings#databases`}>
        Use another connection string, or change the databases
      </a>
    </p>
  </div>
)
