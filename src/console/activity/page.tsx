import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Icon } from '../parts/icon.tsx'
import type { Visit } from '../visit.ts'
import { type Asked, linkTo, type Place } from './asked.ts'
import { CallsTable } from './calls.tsx'
import { FiguresShown } from './figures.tsx'
import { Filters } from './filters.tsx'
import { People } from './people.tsx'
import {
  type Calls,
  callsOf,
  endpointsOf,
  type Found,
  labelsOf,
  type Statistics,
  statisticsOf,
} from './reading.ts'
import { figure } from './times.tsx'

/** How often the script asks for new calls. Each endpoint is several objects, so many are asked less often. */
const OFTEN_MS = 2_000
const SELDOM_MS = 5_000
const FEW_ENDPOINTS = 5

/** Tools that every endpoint may have, to choose from. */
const TOOLS = ['list_tables', 'describe_table', 'query', 'query_table', 'search', 'fetch']

/** Calls as they come, and what they add up to; and what the script takes, beside the name of the page. */
export async function callsShown(visit: Visit, place: Place, asked: Asked) {
  const now = Date.now()
  const [calls, statistics, endpoints] = await Promise.all([
    callsOf(visit, asked, now),
    statisticsOf(visit, asked, now),
    endpointsOf(visit),
  ])
  const found: Calls = 'problem' in calls ? { records: [], lost: 0 } : calls
  const { records } = found
  const groups = 'problem' in statistics ? [] : statistics.groups
  const callers = groups.flatMap((it) => it.name ?? [])
  const labels = await labelsOf(visit, [...callers, ...records.map((it) => it.caller)])
  const apps = [...new Set(records.flatMap((it) => it.client?.name ?? []))]
  const isLive = asked.cursor === '' && !('problem' in calls)
  const shown = asked.endpoint === '' ? endpoints.size : 1
  const every = shown > FEW_ENDPOINTS ? SELDOM_MS : OFTEN_MS
  const rows = { records, labels, path: place.path, now }
  const body = (
    <>
      <Filters
        {...{ place, asked, callers, labels, apps, tools: TOOLS }}
        endpoints={[...endpoints.keys()]}
      />
      {'problem' in calls && <p class="note low">{problemOf(calls.problem, asked)}</p>}
      <div class="stack far">
        {!('problem' in calls && 'problem' in statistics) && (
          <FiguresPart {...{ place, asked, statistics, labels, now }} />
        )}
        <section class="stack" aria-labelledby="calls-head">
          <div class="row">
            <h2 id="calls-head" tabindex={-1}>
              Calls
            </h2>
            <button class="button little" id="live-new" type="button" hidden />
          </div>
          {found.lost > 0 && (
            <p class="note low">
              {figure(found.lost)} calls of this time have no record: it could not be written.
            </p>
          )}
          {records.length === 0 && !('problem' in calls) && (
            <Empty asked={asked} endpoint={endpoints.get(asked.endpoint)} />
          )}
          <div class="panel flush" id="calls-panel" hidden={records.length === 0}>
            <CallsTable
              rows={rows}
              live={
                isLive
                  ? {
                      from: linkTo(place, asked, { at: '/rows' }),
                      figures: linkTo(place, asked, { at: '/figures' }),
                      every,
                    }
                  : undefined
              }
            />
            <footer>
              {asked.cursor !== '' && <a href={linkTo(place, asked)}>Newest</a>}
              {found.next && <a href={linkTo(place, asked, { cursor: found.next })}>Older</a>}
              {asked.endpoint === '' ? (
                <span class="dim">Choose an endpoint to export its calls</span>
              ) : (
                <a href={linkTo(place, asked, { at: '/export' })} download>
                  As JSON Lines
                </a>
              )}
              <span class="dim push">A statement opens in the Workbench</span>
            </footer>
          </div>
        </section>
      </div>
    </>
  )
  return { body, live: isLive && <Live every={every} /> }
}

const problemOf = (problem: string, { endpoint }: Asked) =>
  endpoint === '' && problem.startsWith('endpoint ') ? MANY : problem

const MANY = 'There are too many endpoints to show them all. Choose one above.'

/** What the calls add up to. The script puts a newer one in its place. */
export const FiguresPart = ({
  place,
  asked,
  statistics,
  labels,
  now,
}: {
  readonly place: Place
  readonly asked: Asked
  readonly statistics: Found<Statistics>
  readonly labels: ReadonlyMap<string, string>
  readonly now: number
}) => (
  <section class="stack" id="figures" aria-label="Calls, latency and errors over time">
    {'problem' in statistics ? (
      <p class="note low">{statistics.problem}</p>
    ) : (
      <>
        <FiguresShown statistics={statistics} time={asked.time} />
        {statistics.groups.length > 0 && (
          <People {...{ place, asked, labels, now }} groups={statistics.groups} />
        )}
      </>
    )}
  </section>
)

/** What the script says and takes. Without script, it is not there. */
const Live = ({ every }: { readonly every: number }) => (
  <div class="row live" id="live" hidden>
    <span class="state ok">
      <Icon paths={WAVES} />
      <span role="status" id="live-said">
        Live
      </span>
    </span>
    <button class="button little" type="button" id="live-pause">
      Pause
    </button>
    <span class="small dim">
      It looks every {every / 1000} seconds, and not while this page is hidden.
    </span>
  </div>
)

const WAVES = ['M8 7.8v.4', 'M4.1 11.9a5.5 5.5 0 0 1 0-7.8M11.9 4.1a5.5 5.5 0 0 1 0 7.8']

const Empty = ({
  asked: { text, caller, tool, client, outcome },
  endpoint,
}: {
  readonly asked: Asked
  readonly endpoint: ShownEndpoint | undefined
}) => (
  <p id="no-calls">
    {endpoint?.records === false
      ? 'Calls of this endpoint are not recorded. Its setting "records" turns that on.'
      : isDemo(endpoint)
        ? 'Calls of the demo are not recorded.'
        : [text, caller, tool, client, outcome].some((it) => it !== '')
          ? 'No such call in this time. Ask for less, or for a longer time.'
          : 'No call in this time. The next one appears here.'}
  </p>
)

const isDemo = (endpoint: ShownEndpoint | undefined) =>
  endpoint !== undefined &&
  Object.values(endpoint.databases as Record<string, { url: string }>).every(
    ({ url }) => url === 'demo:',
  )
