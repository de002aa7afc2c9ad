import type { FC } from 'hono/jsx'
import { enginesOf } from '../parts/engine.ts'
import { Form, Submit } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { State } from '../parts/state.tsx'
import { Table } from '../parts/table.tsx'
import { grouped } from '../parts/texts.ts'
import type { ConsoleVisit } from '../visit.ts'
import type { KnownFigures } from './figures.ts'
import { Spark } from './spark.tsx'

interface ListProps {
  readonly visit: ConsoleVisit
  readonly all: readonly KnownFigures[]
}

/** Table of endpoints with their state and today's use. */
export const EndpointTable: FC<ListProps> = ({ visit, all }) => (
  <Table
    caption="Endpoints with their state and today’s use"
    class="fold three middle"
    rows={all}
    columns={[
      { head: 'Endpoint', isName: true, class: 'two', cell: nameOf },
      { head: 'State', class: 'right', cell: stateOf },
      {
        head: 'Engine',
        class: 'two',
        cell: ({ endpoint }) => engineOf(enginesOf(endpoint, visit)),
      },
      {
        head: 'Last call',
        class: 'nowrap right small dim',
        cell: ({ figures }) => (figures?.lastCallAt ? <Moment at={figures.lastCallAt} /> : '–'),
      },
      {
        head: 'Calls today',
        class: 'whole',
        cell: ({ figures: { calls, buckets } = { calls: 0, buckets: [] } }) => (
          <span class="row">
            <Spark calls={calls} buckets={buckets} />
            <span class="n" data-label="calls">
              {numberOrDash(calls)}
            </span>
          </span>
        ),
      },
      {
        head: 'Errors',
        class: 'n',
        tone: ({ figures }) => (figures?.errors ? 'bad' : undefined),
        label: 'errors',
        cell: ({ figures }) => numberOrDash(figures?.errors ?? 0),
      },
      {
        head: 'p95, ms',
        class: 'n',
        label: 'p95, ms',
        cell: ({ figures }) => numberOrDash(Math.round(figures?.p95 ?? 0)),
      },
      {
        head: 'Test',
        class: 'n right',
        cell: ({ endpoint: { name } }) => (
          <TestNow visit={visit} name={name} label={`Test now: ${name}`} />
        ),
      },
    ]}
  />
)

const nameOf = (known: KnownFigures) => {
  const { name, title } = known.endpoint
  const path = isUnfinished(known) ? '/console/add' : '/console/endpoints'
  return (
    <>
      <a href={`${path}/${name}`} dir="auto">
        {title}
      </a>
      <code class="under">/mcp/{name}</code>
    </>
  )
}

const TestNow: FC<{
  readonly visit: ConsoleVisit
  readonly name: string
  readonly label: string
}> = ({ visit, name, label }) => (
  <Form visit={visit} action="/console/look">
    <input type="hidden" name="name" value={name} />
    <Submit kind="little" aria-label={label} text="Test now" />
  </Form>
)

const numberOrDash = (count: number) => (count === 0 ? '–' : grouped(count))

/** True if an endpoint was added but never turned on. The call log has no calls to it. */
const isUnfinished = ({ endpoint, figures }: KnownFigures) =>
  !endpoint.active && endpoint.from === 'registry' && figures?.lastCallAt === undefined

const stateOf = (known: KnownFigures) => {
  const { endpoint, failing, figures } = known
  if (isUnfinished(known)) return <State kind="off" word="Not finished" />
  if (!endpoint.active) return <State kind="off" word="Switched off" />
  if (failing) return <State kind="bad" word="Not answering" />
  return <State kind="ok" word={figures?.lastCallAt ? 'Answering' : 'On'} />
}

const engineOf = (engines: ReturnType<typeof enginesOf>) => {
  const [first] = engines
  const isOne = engines.length === 1 && first !== undefined
  const names = [...new Set(engines.map(([, { engine }]) => engine))]
  return (
    <>
      {isOne ? first[1].engine : `${engines.length} databases`}
      <span class="under" dir="auto">
        {isOne ? first[1].where : names.join(', ')}
      </span>
    </>
  )
}

/** Note for each endpoint whose newest calls did not reach a database. */
export const Failures: FC<ListProps> = ({ visit, all }) => (
  <>
    {all.map(
      ({ endpoint: { name, title }, failing }) =>
        failing && (
          <div class="note bad">
            <p>
              <b>
                <span dir="auto">{title}</span> has not answered since <Moment at={failing.at} />.
              </b>{' '}
              {WHY[failing.code as keyof typeof WHY]}{' '}
              <a href={`/console/endpoints/${name}/settings`}>Use another connection string</a> or{' '}
              <a href="/console/doctor">run the Doctor</a>.
            </p>
            <TestNow visit={visit} name={name} label={`Test now: ${name} again`} />
          </div>
        ),
    )}
  </>
)

const WHY: Readonly<Record<'network' | 'auth' | 'config', string>> = {
  network: 'Its database cannot be reached.',
  auth: 'Its database refused the login.',
  config: 'Its database cannot be opened with its configuration.',
}
