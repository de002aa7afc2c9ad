import type { ShownEndpoint } from '../parts/endpoint.ts'
import { isWhole, workbenchOf } from './again.ts'
import { appOf, Outcome, reasonOf, whoOf } from './calls.tsx'
import type { CallRecord, Statement } from './reading.ts'
import { figure } from './times.tsx'

/** All that is kept of one call. */
export const CallShown = ({
  record,
  endpoint,
  labels,
}: {
  readonly record: CallRecord
  readonly endpoint: ShownEndpoint
  readonly labels: ReadonlyMap<string, string>
}) => (
  <div class="stack far">
    <h2>One call</h2>
    <dl class="facts">
      <dt>Outcome</dt>
      <dd>
        <Outcome record={record} />
        {record.outcome !== 'ok' && <p class="small dim">{reasonOf(record)}</p>}
      </dd>
      <dt>Time</dt>
      <dd>
        <time datetime={record.time}>{record.time.slice(0, 23).replace('T', ' ')} UTC</time>
      </dd>
      <Fact name="Who" value={whoOf(record.caller, labels)} />
      <Fact name="App" value={record.client ? appOf(record.client) : 'does not say'} />
      <dt>Endpoint</dt>
      <dd>{record.endpoint}</dd>
      <Fact name="Tool" value={record.tool ?? 'none: it was refused before it was read'} />
      <Fact name="Code" value={record.code} />
      {(record.calls ?? 1) > 1 && <Fact name="Calls" value={`${figure(record.calls)} in a row`} />}
      <dt>Took</dt>
      <dd>{figure(record.milliseconds)} ms</dd>
      <dt>Returned</dt>
      <dd>
        {figure(record.rows)} {record.rows === 1 ? 'row' : 'rows'}, {figure(record.bytes)} bytes
      </dd>
      <Fact name="Trace" value={record.traceId} />
      <Fact name="Record" value={record.id} />
    </dl>
    {record.statements?.map((it, i) => (
      <StatementShown
        {...{ record, endpoint, statement: it, i }}
        isOnly={record.statements?.length === 1}
      />
    )) ?? (
      <p>
        {record.tool !== undefined && (
          <a class="button" href={workbenchOf(record, endpoint)}>
            Open in the Workbench
          </a>
        )}
      </p>
    )}
  </div>
)

const Fact = ({ name, value }: { readonly name: string; readonly value?: string | undefined }) =>
  value === undefined ? null : (
    <>
      <dt>{name}</dt>
      <dd dir="auto">{value}</dd>
    </>
  )

const StatementShown = ({
  record,
  endpoint,
  statement,
  i,
  isOnly,
}: {
  readonly record: CallRecord
  readonly endpoint: ShownEndpoint
  readonly statement: Statement
  readonly i: number
  readonly isOnly: boolean
}) => (
  <section class="panel flush">
    <header>
      <h3>{isOnly ? 'Statement' : `Statement ${i + 1}`}</h3>
      <span class="small dim">in {statement.database}</span>
    </header>
    <div class="in stack">
      {statement.sql === undefined ? (
        <p>It cannot be read without its values, so nothing of it is kept.</p>
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
        <a class="button" href={workbenchOf(record, endpoint, i)}>
          Open in the Workbench
        </a>
        {!isWhole(statement, endpoint) && (
          <span class="dim">Its values are not kept: fill them in there.</span>
        )}
      </footer>
    )}
  </section>
)
