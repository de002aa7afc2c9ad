import { enginesOf } from '../parts/engine.ts'
import { Form } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { State } from '../parts/state.tsx'
import type { Visit } from '../visit.ts'
import type { Known } from './figures.ts'
import { Spark } from './spark.tsx'

/** A table of endpoints, with their state and their use today. */
export const EndpointTable = ({
  visit,
  all,
}: {
  readonly visit: Visit
  readonly all: readonly Known[]
}) => (
  <table role="table" class="fold three middle">
    <caption class="hidden">Endpoints, with their state and their use today</caption>
    <thead role="rowgroup">
      <tr role="row">
        {['Endpoint', 'State', 'Engine', 'Last call', 'Calls today'].map((it) => (
          <th role="columnheader" scope="col">
            {it}
          </th>
        ))}
        {['Errors', 'p95, ms', 'Test'].map((it) => (
          <th role="columnheader" scope="col" class="n">
            {it}
          </th>
        ))}
      </tr>
    </thead>
    <tbody role="rowgroup">
      {all.map((it) => (
        <Row visit={visit} known={it} />
      ))}
    </tbody>
  </table>
)

const Row = ({ visit, known }: { readonly visit: Visit; readonly known: Known }) => {
  const { endpoint, figures } = known
  const { name, title } = endpoint
  const { calls = 0, errors = 0, p95, lastCallAt, buckets = [] } = figures ?? {}
  return (
    <tr role="row">
      <th role="rowheader" scope="row" class="two">
        <a
          href={isUnfinished(known) ? `/console/add/${name}` : `/console/endpoints/${name}`}
          dir="auto"
        >
          {title}
        </a>
        <code class="under">/mcp/{name}</code>
      </th>
      <td role="cell" class="right">
        <StateOf known={known} />
      </td>
      <td role="cell" class="two">
        <Engine known={known} />
      </td>
      <td role="cell" class="nowrap right small dim">
        {lastCallAt ? <Moment at={lastCallAt} /> : '–'}
      </td>
      <td role="cell" class="whole">
        <span class="row">
          <Spark calls={calls} buckets={buckets} />
          <span class="n" data-label="calls">
            {numberOrDash(calls)}
          </span>
        </span>
      </td>
      <td role="cell" class={errors > 0 ? 'n bad' : 'n'} data-label="errors">
        {numberOrDash(errors)}
      </td>
      <td role="cell" class="n" data-label="p95, ms">
        {p95 === undefined ? '–' : Math.round(p95).toLocaleString('en')}
      </td>
      <td role="cell" class="n right">
        <Form visit={visit} action="/console/look">
          <input type="hidden" name="name" value={name} />
          <button class="button little" type="submit" aria-label={`Look now at ${name}`}>
            Look now
          </button>
        </Form>
      </td>
    </tr>
  )
}

const numberOrDash = (count: number) => (count === 0 ? '–' : count.toLocaleString('en'))

/** Whether an endpoint was added, and never opened: as far as the records tell, nobody called it yet. */
const isUnfinished = ({ endpoint, figures }: Known) =>
  !endpoint.active && endpoint.from === 'registry' && figures?.lastCallAt === undefined

const StateOf = ({ known }: { readonly known: Known }) => {
  const { endpoint, failing, figures } = known
  if (isUnfinished(known)) return <State kind="off" word="Not finished" />
  if (!endpoint.active) return <State kind="off" word="Switched off" />
  if (failing) return <State kind="bad" word="Not answering" />
  return <State kind="ok" word={figures?.lastCallAt ? 'Answering' : 'Open'} />
}

const Engine = ({ known }: { readonly known: Known }) => {
  const engines = enginesOf(known.endpoint)
  const [first] = engines
  if (engines.length === 1 && first) {
    return (
      <>
        {first[1].engine}
        <span class="under" dir="auto">
          {first[1].where}
        </span>
      </>
    )
  }
  const names = [...new Set(engines.map(([, { engine }]) => engine))]
  return (
    <>
      {engines.length} databases
      <span class="under">{names.join(', ')}</span>
    </>
  )
}

/** A note for each endpoint whose newest calls did not reach a database. */
export const Failures = ({
  visit,
  all,
}: {
  readonly visit: Visit
  readonly all: readonly Known[]
}) =>
  all.map(({ endpoint: { name, title }, failing }) =>
    failing ? (
      <div class="note bad">
        <p>
          <b>
            <span dir="auto">{title}</span> has not answered since <Moment at={failing.at} />.
          </b>{' '}
          {WHY[failing.code as keyof typeof WHY]}{' '}
          <a href={`/console/endpoints/${name}/settings`}>Put in another connection string</a>, or{' '}
          <a href="/console/doctor">see the checks</a>.
        </p>
        <Form visit={visit} action="/console/look">
          <input type="hidden" name="name" value={name} />
          <button class="button little" type="submit" aria-label={`Look now at ${name} again`}>
            Look now
          </button>
        </Form>
      </div>
    ) : null,
  )

const WHY: Readonly<Record<'network' | 'auth' | 'config', string>> = {
  network: 'Its database cannot be reached.',
  auth: 'Its database refuses the login.',
  config: 'Its database cannot be opened as it is configured.',
}
