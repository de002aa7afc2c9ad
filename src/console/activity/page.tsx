import type { FC } from 'hono/jsx'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Icon } from '../parts/icon.tsx'
import { Note } from '../parts/note.tsx'
import type { ConsoleVisit } from '../visit.ts'
import { type CallFilter, type CallScope, linkTo } from './call-filter.ts'
import { CallsTable } from './calls.tsx'
import { FiguresShown } from './figures.tsx'
import { Filters } from './filters.tsx'
import { People } from './people.tsx'
import { callsOf, endpointsOf, type LoadedStatistics, labelsOf, statisticsOf } from './reading.ts'
import { figure } from './times.tsx'

/** Refresh intervals. Each endpoint has several objects to read, so pages with many endpoints refresh less often. */
const OFTEN_MS = 2_000
const SELDOM_MS = 5_000
const FEW_ENDPOINTS = 5

/** Tools to suggest in the filter. */
const TOOLS = ['list_tables', 'describe_table', 'query', 'query_table', 'search', 'fetch']

const MANY = 'There are too many endpoints to show all of them. Select one above.'

/** Live list of calls with their statistics, and the controls for live updates. */
export async function callsShown(visit: ConsoleVisit, place: CallScope, filter: CallFilter) {
  const now = Date.now()
  const [{ body, refused }, loaded, endpoints] = await Promise.all([
    callsOf(visit, filter, now),
    statisticsOf(visit, filter, now),
    endpointsOf(visit),
  ])
  const { records, lost, next } = body ?? { records: [], lost: 0 }
  const callers = loaded.statistics?.groups?.flatMap((it) => it.name ?? []) ?? []
  const labels = await labelsOf(visit, [...callers, ...records.map((it) => it.caller)])
  const apps = [...new Set(records.flatMap((it) => it.client?.name ?? []))]
  const isLive = filter.cursor === '' && !refused
  const shown = filter.endpoint === '' ? endpoints.size : 1
  const every = shown > FEW_ENDPOINTS ? SELDOM_MS : OFTEN_MS
  const live = {
    from: linkTo(place, filter, { at: '/rows' }),
    figures: linkTo(place, filter, { at: '/figures' }),
    every,
  }
  const isForMany = filter.endpoint === '' && refused?.field === 'endpoint'
  const page = (
    <>
      <Filters
        {...{ place, filter, callers, labels, apps, tools: TOOLS }}
        endpoints={[...endpoints.keys()]}
      />
      {refused && <Note kind="low">{isForMany ? MANY : refused.message}</Note>}
      <div class="stack far">
        {!(refused && loaded.refused) && (
          <FiguresPart {...{ place, filter, loaded, labels, now }} />
        )}
        <section class="stack" aria-labelledby="calls-head">
          <div class="row">
            <h2 id="calls-head" tabindex={-1}>
              Calls
            </h2>
            <button class="button little" id="live-new" type="button" hidden />
          </div>
          {lost > 0 && (
            <Note kind="low">
              {figure(lost)} calls in this time range are missing: the call log could not be
              written.
            </Note>
          )}
          {records.length === 0 && !refused && (
            <p id="no-calls">{reasonForNone(filter, endpoints.get(filter.endpoint))}</p>
          )}
          <div class="panel flush" id="calls-panel" hidden={records.length === 0}>
            <CallsTable
              {...{ records, labels, path: place.path, now }}
              live={isLive ? live : undefined}
            />
            <footer>
              {filter.cursor !== '' && <a href={linkTo(place, filter)}>Newest</a>}
              {next && <a href={linkTo(place, filter, { cursor: next })}>Older</a>}
              {filter.endpoint === '' ? (
                <span class="dim">Select an endpoint to export its calls</span>
              ) : (
                <a href={linkTo(place, filter, { at: '/export' })} download>
                  Export as JSON Lines
                </a>
              )}
              <span class="dim push">Select a statement to open it in the Workbench</span>
            </footer>
          </div>
        </section>
      </div>
    </>
  )
  return { page, live: isLive && <Live every={every} /> }
}

/** Statistics of the calls. The script replaces them with newer ones. */
export const FiguresPart: FC<{
  readonly place: CallScope
  readonly filter: CallFilter
  readonly loaded: LoadedStatistics
  readonly labels: ReadonlyMap<string, string>
  readonly now: number
}> = ({ place, filter, loaded: { statistics, refused }, labels, now }) => (
  <section class="stack" id="figures" aria-label="Calls, latency and errors over time">
    {refused && <Note kind="low">{refused.message}</Note>}
    {statistics && <FiguresShown statistics={statistics} time={filter.time} />}
    {statistics?.groups?.length ? (
      <People {...{ place, filter, labels, now }} groups={statistics.groups} />
    ) : null}
  </section>
)

/** State and button for live updates. Hidden without JavaScript. */
const Live: FC<{ readonly every: number }> = ({ every }) => (
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
      Refreshes every {every / 1000} seconds while this page is visible.
    </span>
  </div>
)

const WAVES = ['M8 7.8v.4', 'M4.1 11.9a5.5 5.5 0 0 1 0-7.8M11.9 4.1a5.5 5.5 0 0 1 0 7.8']

/** Reason the list is empty. */
function reasonForNone(filter: CallFilter, endpoint: ShownEndpoint | undefined): string {
  if (endpoint?.records === false) {
    return 'This endpoint has no call log. Turn it on in its settings.'
  }
  if (endpoint && Object.values(endpoint.databases).every(({ url }) => url === 'demo:')) {
    return 'The demo has no call log.'
  }
  const { text, caller, tool, client, outcome } = filter
  return [text, caller, tool, client, outcome].some((it) => it !== '')
    ? 'No matching calls in this time range. Use fewer filters or a longer range.'
    : 'No calls in this time range. New calls appear here.'
}
