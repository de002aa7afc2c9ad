import { Hono } from 'hono/tiny'
import type { Html } from '../answer.ts'
import { endpointOf, type ShownEndpoint } from '../parts/endpoint.ts'
import { Page } from '../parts/page.tsx'
import { pathWith } from '../parts/pages.tsx'
import { makeGap, streamed } from '../stages/streamed.ts'
import { ask, type Visit } from '../visit.ts'
import { appsChecked } from './apps.tsx'
import { type Checked, Panel } from './check.tsx'
import { deploymentChecked } from './deployment.tsx'
import { endpointChecked } from './endpoint.tsx'

/** Endpoints of one look. */
const PAGE = 10

/** `/console/doctor`: looks at everything, and shows what it sees as it sees it. */
export const doctor = new Hono<{ Bindings: Visit }>().get('/', async (c) => {
  const visit = c.env
  const { endpoint: name, cursor } = c.req.query()
  const found = name ? { endpoints: [await endpointOf(visit, name)] } : await listed(visit, cursor)
  const gap = makeGap()
  return streamed(
    <Page visit={visit} title="Doctor" section="doctor" slim>
      <div class="head">
        <div>
          <h1>Doctor</h1>
          <p class="dim">
            {name ? (
              <>
                Looks at <code>{name}</code>. <a href="/console/doctor">Look at everything</a>
              </>
            ) : (
              'Looks at the settings, at each database, and at what apps make of it.'
            )}
          </p>
        </div>
        <div class="row">
          <a class="button" href={pathWith('/console/doctor', { endpoint: name, cursor })}>
            Look again
          </a>
        </div>
      </div>
      <div class="stack far doctor">{gap}</div>
    </Page>,
    [
      {
        gap,
        parts: () => looked(visit, { ...found, isOne: Boolean(name), isWhole: !name && !cursor }),
      },
    ],
    <Panel title="The rest" checks={[{ state: 'bad', sentence: FAILED }]} />,
  )
})

const FAILED = 'The look ended here, and why is in the log. What stands above was seen. Look again.'

interface Listed {
  readonly endpoints: readonly ShownEndpoint[]
  readonly next?: string | undefined
}

async function listed(visit: Visit, cursor: string | undefined): Promise<Listed> {
  const { status, body } = await ask(visit, 'GET', pathWith('/endpoints', { cursor, limit: PAGE }))
  return status === 200 ? body : { endpoints: [] }
}

/** One part after the other: each of them may hold all the connections that a request may have. */
async function* looked(
  visit: Visit,
  {
    endpoints,
    next,
    isOne,
    isWhole,
  }: Listed & { readonly isOne: boolean; readonly isWhole: boolean },
): AsyncGenerator<Html> {
  const states: Checked['state'][] = []
  const seen = (checks: readonly Checked[]) => {
    states.push(...checks.map(({ state }) => state))
    return checks
  }
  if (isWhole) {
    yield <Looking at="the deployment" />
    const { status, checks } = await deploymentChecked(visit)
    yield <Panel title="Deployment" checks={seen(checks)} />
    if (status !== 200) endpoints = []
  }
  for (const endpoint of endpoints) {
    yield <Looking at={endpoint.title} />
    const isAsked = endpoint.active || isOne
    const checks = isAsked ? await endpointChecked(visit, endpoint) : [OFF]
    const href = `/console/endpoints/${endpoint.name}/settings`
    yield <Panel title={endpoint.title} href={href} checks={seen(checks)} />
  }
  const [first] = endpoints
  if (first && !next) {
    yield <Looking at="what apps make of it" />
    // Of one endpoint, its own URL; else the one that people know.
    const name = isOne ? first.name : undefined
    const checks = seen(await appsChecked(visit, name))
    yield <Panel title={`What apps make of /mcp${name ? `/${name}` : ''}`} checks={checks} />
  }
  if (next) {
    yield (
      <p>
        <a href={pathWith('/console/doctor', { cursor: next })}>Look at the next endpoints</a>
      </p>
    )
  }
  yield <Result states={states} />
}

const OFF: Checked = { state: 'off', sentence: 'Switched off, so it was not looked at.' }

/** Says what is looked at, until the next part stands below it. */
const Looking = ({ at }: { readonly at: string }) => (
  <p class="looking small dim">
    Looks at <bdi>{at}</bdi> …
  </p>
)

/** What came out, which comes last and is shown first. */
const Result = ({ states }: { readonly states: readonly Checked['state'][] }) => {
  const bad = states.filter((it) => it === 'bad').length
  const low = states.filter((it) => it === 'low').length
  return (
    <p class="result" role="status">
      {states.length} checks: {bad === 0 ? 'none' : bad} to mend, {low === 0 ? 'none' : low} worth a
      look.
    </p>
  )
}
