import type { FC } from 'hono/jsx'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Fact } from '../parts/fact.tsx'
import { ButtonLink } from '../parts/form.tsx'
import { isWhole, workbenchOf } from './again.ts'
import { appOf, Outcome, reasonOf, whoOf } from './calls.tsx'
import type { ApiCallRecord, ApiStatement } from './reading.ts'
import { figure } from './times.tsx'

/** Everything in the call log about one call. */
export const CallShown: FC<{
  readonly record: ApiCallRecord
  readonly endpoint: ShownEndpoint
  readonly labels: ReadonlyMap<string, string>
}> = ({ record, endpoint, labels }) => (
  <div class="stack far">
    <h2>One call</h2>
    <dl class="facts">
      <Fact name="Outcome">
        <Outcome record={record} />
        {record.outcome !== 'ok' && <p class="small dim">{reasonOf(record)}</p>}
      </Fact>
      <Fact name="Time">
        <time datetime={record.time}>{record.time.slice(0, 23).replace('T', ' ')} UTC</time>
      </Fact>
      <Fact name="Who">{whoOf(record.caller, labels)}</Fact>
      <Fact name="App">{record.client ? appOf(record.client) : 'unknown'}</Fact>
      <Fact name="Endpoint">{record.endpoint}</Fact>
      <Fact name="Tool">{record.tool ?? 'none: the call was refused before it was parsed'}</Fact>
      <Fact name="Code">{record.code}</Fact>
      {(record.calls ?? 1) > 1 && <Fact name="Calls">{figure(record.calls)} in a row</Fact>}
      <Fact name="Took">{figure(record.milliseconds)} ms</Fact>
      <Fact name="Returned">
        {figure(record.rows)} {record.rows === 1 ? 'row' : 'rows'}, {figure(record.bytes)} bytes
      </Fact>
      <Fact name="Trace">{record.traceId}</Fact>
      <Fact name="Log entry">{record.id}</Fact>
    </dl>
    {record.statements?.map((it, i) => (
      <StatementShown
        {...{ record, endpoint, statement: it, i }}
        isOnly={record.statements?.length === 1}
      />
    )) ?? (
      <p>
        {record.tool !== undefined && (
          <ButtonLink href={workbenchOf(record, endpoint)} text="Open in the Workbench" />
        )}
      </p>
    )}
  </div>
)

const StatementShown: FC<{
  readonly record: ApiCallRecord
  readonly endpoint: ShownEndpoint
  readonly statement: ApiStatement
  readonly i: number
  readonly isOnly: boolean
}> = ({ record, endpoint, statement, i, isOnly }) => (
  <section class="panel flush">
    <header>
      <h3>{isOnly ? 'Statement' : `Statement ${i + 1}`}</h3>
      <span class="small dim">in {statement.database}</span>
    </header>
    <div class="in stack">
      {statement.sql === undefined ? (
        <p>This statement could not be logged without its values, so its text is not stored.</p>
      ) : (
        <pre class="sql" dir="auto">
          {statement.sql}
        </pre>
      )}
      {statement.params !== undefined && (
        <p class="small">
          Values: <code dir="auto">{statement.params}</code>
        </p>
      )}
    </div>
    {statement.sql !== undefined && (
      <footer>
        <ButtonLink href={workbenchOf(record, endpoint, i)} text="Open in the Workbench" />
        {!isWhole(statement, endpoint) && (
          <span class="dim">Its values are not stored. Fill them in there.</span>
        )}
      </footer>
    )}
  </section>
)
