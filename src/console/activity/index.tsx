import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import { Hono } from 'hono/tiny'
import { answer, download, seeOther } from '../answer.ts'
import { endpointOf, type ShownEndpoint } from '../parts/endpoint.ts'
import { EndpointPage, Head, Page } from '../parts/page.tsx'
import { type ConsoleVisit, NotFound } from '../visit.ts'
import { workbenchOf } from './again.ts'
import { apiQuery, type CallScope, filterOf, PERIODS } from './call-filter.ts'
import { CallShown } from './call-page.tsx'
import { CallsTable } from './calls.tsx'
import { changesShown } from './changes.tsx'
import { callsShown, FiguresPart } from './page.tsx'
import { callOf, callsOf, labelsOf, statisticsOf } from './reading.ts'

/** Scope of the call log, and its endpoint if it has only one. */
interface ActivityRoom extends CallScope {
  readonly shown?: ShownEndpoint
}

/** Scope and query of a request. */
interface ActivityRequest {
  readonly visit: ConsoleVisit
  readonly room: ActivityRoom
  readonly params: URLSearchParams
  /** Id of the call in the path. */
  readonly id: string
}

type At = Context<{ Bindings: ConsoleVisit }>

/** Pages in Activity, for all endpoints or for one. */
function pagesOf(roomOf: (c: At) => Promise<ActivityRoom>) {
  const serve = (show: (asked: ActivityRequest) => Promise<Response>) => async (c: At) =>
    show({
      visit: c.env,
      room: await roomOf(c),
      params: new URL(c.req.url).searchParams,
      id: c.req.param('id') ?? '',
    })
  return new Hono<{ Bindings: ConsoleVisit }>()
    .get('/', serve(calls))
    .get('/changes', serve(changes))
    .get('/rows', serve(rows))
    .get('/figures', serve(figures))
    .get('/export', serve(lines))
    .get('/calls/:id', serve(call))
    .get('/calls/:id/open', serve(open))
}

async function calls({ visit, room, params }: ActivityRequest) {
  const shown = await callsShown(visit, room, filterOf(params, room.endpoint))
  return page(visit, room, 'calls', shown.page, shown.live)
}

const changes = async ({ visit, room, params }: ActivityRequest) =>
  page(visit, room, 'changes', await changesShown(visit, room, params.get('cursor')))

async function call(asked: ActivityRequest) {
  const { visit, room } = asked
  const { record, endpoint } = await found(asked)
  const labels = await labelsOf(visit, [record.caller])
  return page(visit, room, undefined, <CallShown {...{ record, endpoint, labels }} />)
}

async function open(asked: ActivityRequest) {
  const { record, endpoint } = await found(asked)
  return seeOther(workbenchOf(record, endpoint))
}

/** `/console/activity` */
export const activity = pagesOf(async () => ({ path: '/console/activity' }))

/** `/console/endpoints/NAME/activity` */
export const endpointActivity = pagesOf(async (c) => {
  const shown = await endpointOf(c.env, c.req.param('name'))
  const { name } = shown
  return { path: `/console/endpoints/${name}/activity`, endpoint: name, shown }
})

const TABS = { calls: ['Calls', ''], changes: ['Changes', '/changes'] } as const

function page(
  visit: ConsoleVisit,
  room: ActivityRoom,
  tab: keyof typeof TABS | undefined,
  children: Child,
  live: Child = null,
) {
  const { path, shown } = room
  const title = shown ? `Activity for ${shown.title}` : 'Activity'
  const script = tab === 'calls' ? '/assets/calls.js' : undefined
  const content = (
    <>
      <div class="row views">
        <nav class="row" aria-label="Activity">
          {Object.entries(TABS).map(([name, [text, at]]) => (
            <a href={`${path}${at}`} aria-current={name === tab ? 'page' : undefined}>
              {text}
            </a>
          ))}
        </nav>
        {live}
      </div>
      {children}
    </>
  )
  if (shown) {
    return answer(
      <EndpointPage {...{ visit, title, script, endpoint: shown }} tab="activity">
        {content}
      </EndpointPage>,
    )
  }
  return answer(
    <Page {...{ visit, title, script }} section="activity">
      <Head
        title="Activity"
        about="Every call, including refused ones. Values are logged only where you turn that on."
      />
      {content}
    </Page>,
  )
}

/** Rows of calls newer than a given one, for the script. */
async function rows({ visit, room: { path, endpoint }, params }: ActivityRequest) {
  const now = Date.now()
  const filter = filterOf(params, endpoint)
  const { body, refused } = await callsOf(visit, filter, now, params.get('after') ?? '')
  if (refused) return new Response(refused.message, { status: 422 })
  const { records } = body
  const callers = records.map((it) => it.caller)
  const labels = await labelsOf(visit, callers)
  return answer(<CallsTable {...{ records, labels, path, now }} />)
}

async function figures({ visit, room, params }: ActivityRequest) {
  const now = Date.now()
  const filter = filterOf(params, room.endpoint)
  const loaded = await statisticsOf(visit, filter, now)
  const callers = loaded.statistics?.groups?.map((it) => it.name) ?? []
  const labels = await labelsOf(visit, callers)
  return answer(<FiguresPart {...{ filter, loaded, labels, now }} place={room} />)
}

/** Export of an endpoint's calls that match the filter, one per line. */
async function lines({ visit: { send, signal }, room, params }: ActivityRequest) {
  const filter = filterOf(params, room.endpoint)
  const since = new Date(Date.now() - PERIODS[filter.time].ms).toISOString()
  const path = `/records?${apiQuery(filter, { format: 'jsonl', since })}`
  const answered = await send(path, { signal })
  if (answered.ok) return download(answered.body, 'application/jsonl', 'calls.jsonl')
  const { error } = (await answered.json()) as { error: { message: string } }
  return new Response(error.message, { status: answered.status })
}

/** Call with the id in the path, and its endpoint. */
async function found({ visit, room, params, id }: ActivityRequest) {
  const name = room.endpoint ?? params.get('endpoint') ?? ''
  const endpoint = room.shown ?? (await endpointOf(visit, name))
  const record = await callOf(visit, name, id)
  if (!record) throw new NotFound('There is no such call. Old calls are deleted.')
  return { record, endpoint }
}
