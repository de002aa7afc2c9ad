import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { endpointOf, NotThere, type ShownEndpoint } from '../parts/endpoint.ts'
import { EndpointHead, Page } from '../parts/page.tsx'
import type { Visit } from '../visit.ts'
import { workbenchOf } from './again.ts'
import { apiQuery, askedOf, PERIODS, type Place } from './asked.ts'
import { CallShown } from './call-page.tsx'
import { Rows } from './calls.tsx'
import { changesShown } from './changes.tsx'
import { callsShown, FiguresPart } from './page.tsx'
import { callOf, callsAfter, callsOf, labelsOf, statisticsOf } from './reading.ts'

/** Where calls are looked at, and the endpoint if they are only its own. */
interface Room extends Place {
  readonly shown?: ShownEndpoint
}

type At = Context<{ Bindings: Visit }>

/** The pages of Activity, for all endpoints or for one. */
const pagesOf = (roomOf: (c: At) => Promise<Room>) =>
  new Hono<{ Bindings: Visit }>()
    .get('/', async (c) => {
      const room = await roomOf(c)
      const asked = askedOf(new URL(c.req.url).searchParams, room.endpoint)
      const { body, live } = await callsShown(c.env, room, asked)
      return page(c.env, room, 'calls', body, live)
    })
    .get('/changes', async (c) => {
      const room = await roomOf(c)
      const cursor = new URL(c.req.url).searchParams.get('cursor')
      return page(c.env, room, 'changes', await changesShown(c.env, room, cursor))
    })
    .get('/rows', async (c) => rows(c.env, await roomOf(c), new URL(c.req.url).searchParams))
    .get('/figures', async (c) => figures(c.env, await roomOf(c), new URL(c.req.url).searchParams))
    .get('/export', async (c) => {
      const { endpoint } = await roomOf(c)
      return lines(c.env, askedOf(new URL(c.req.url).searchParams, endpoint))
    })
    .get('/calls/:id', async (c) => {
      const room = await roomOf(c)
      const { record, endpoint } = await found(c, room)
      const labels = await labelsOf(c.env, [record.caller])
      return page(c.env, room, undefined, <CallShown {...{ record, endpoint, labels }} />)
    })
    .get('/calls/:id/open', async (c) => {
      const { record, endpoint } = await found(c, await roomOf(c))
      return seeOther(workbenchOf(record, endpoint))
    })

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
  visit: Visit,
  room: Room,
  tab: keyof typeof TABS | undefined,
  children: Child,
  live: Child = null,
) {
  const { path, shown } = room
  const title = shown ? `Activity of ${shown.title}` : 'Activity'
  const script = tab === 'calls' ? '/assets/calls.js' : undefined
  return answer(
    <Page {...{ visit, title, script }} section={shown ? 'endpoints' : 'activity'}>
      {shown ? (
        <EndpointHead visit={visit} endpoint={shown} tab="activity" />
      ) : (
        <div class="head">
          <div>
            <h1>Activity</h1>
            <p class="dim">
              Each call, the refused ones too. Values are kept only where you say so.
            </p>
          </div>
        </div>
      )}
      <div class="row views">
        <nav class="row" aria-label="What is shown">
          {Object.entries(TABS).map(([name, [text, at]]) => (
            <a href={`${path}${at}`} aria-current={name === tab ? 'page' : undefined}>
              {text}
            </a>
          ))}
        </nav>
        {live}
      </div>
      {children}
    </Page>,
  )
}

/** Rows of calls that came after one, for the script. */
async function rows(visit: Visit, { path, endpoint }: Room, params: URLSearchParams) {
  const now = Date.now()
  const asked = askedOf(params, endpoint)
  const after = params.get('after') ?? ''
  const calls = await (after ? callsAfter(visit, asked, after) : callsOf(visit, asked, now))
  if ('problem' in calls) return new Response(calls.problem, { status: 422 })
  const labels = await labelsOf(
    visit,
    calls.records.map((it) => it.caller),
  )
  return answer(
    <table>
      <tbody>
        <Rows {...{ labels, path, now }} records={calls.records} />
      </tbody>
    </table>,
  )
}

async function figures(visit: Visit, room: Room, params: URLSearchParams) {
  const now = Date.now()
  const asked = askedOf(params, room.endpoint)
  const statistics = await statisticsOf(visit, asked, now)
  const callers = 'problem' in statistics ? [] : statistics.groups.map((it) => it.name)
  const labels = await labelsOf(visit, callers)
  return answer(<FiguresPart {...{ asked, statistics, labels, now }} place={room} />)
}

/** All calls that are asked for of one endpoint, a line for each. */
async function lines({ send, signal }: Visit, asked: ReturnType<typeof askedOf>) {
  const since = new Date(Date.now() - PERIODS[asked.time].ms).toISOString()
  const answered = await send(`/records?${apiQuery(asked, { format: 'jsonl', since })}`, { signal })
  if (!answered.ok) {
    const { error } = (await answered.json()) as { error: { message: string } }
    return new Response(error.message, { status: answered.status })
  }
  return new Response(answered.body, {
    headers: {
      'content-type': 'application/jsonl',
      'content-disposition': 'attachment; filename="calls.jsonl"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}

/** A call by the id in the path, and its endpoint. */
async function found(c: At, room: Room) {
  const name = room.endpoint ?? new URL(c.req.url).searchParams.get('endpoint') ?? ''
  const endpoint = room.shown ?? (await endpointOf(c.env, name))
  const record = await callOf(c.env, name, c.req.param('id') ?? '')
  if (!record) throw new NotThere('There is no such call. The oldest ones are deleted.')
  return { record, endpoint }
}
