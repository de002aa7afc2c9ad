import { Hono } from 'hono/tiny'
import { counted } from '../../ground/index.ts'
import type { HtmlChunk } from '../answer.ts'
import { endpointOf } from '../parts/endpoint.ts'
import { ButtonLink } from '../parts/form.tsx'
import { Head, Page } from '../parts/page.tsx'
import { pathWith } from '../parts/pages.tsx'
import { makeGap, streamed } from '../stages/streamed.ts'
import { type Answers, ask, type ConsoleVisit } from '../visit.ts'
import { checkApps } from './apps.tsx'
import { type DoctorCheck, Panel } from './check.tsx'
import { checkDeployment } from './deployment.tsx'
import { checkEndpoint } from './endpoint.tsx'

/** Endpoints per page. */
const PAGE = 10

/** `/console/doctor`: checks everything, and shows results as they come in. */
export const doctor = new Hono<{ Bindings: ConsoleVisit }>().get('/', async (c) => {
  const visit = c.env
  const { endpoint: name, cursor } = c.req.query()
  const found = name ? { endpoints: [await endpointOf(visit, name)] } : await listed(visit, cursor)
  const gap = makeGap()
  return streamed(
    <Page visit={visit} title="Doctor" section="doctor" slim>
      <Head
        title="Doctor"
        about={
          name ? (
            <>
              Checks <code>{name}</code>. <a href="/console/doctor">Check everything</a>
            </>
          ) : (
            'Checks the settings, each database, and how apps connect.'
          )
        }
        action={
          <ButtonLink
            href={pathWith('/console/doctor', { endpoint: name, cursor })}
            text="Check again"
          />
        }
      />
      <div class="stack far doctor">{gap}</div>
    </Page>,
    [
      {
        gap,
        parts: () =>
          runChecks(visit, { ...found, isOne: Boolean(name), isWhole: !name && !cursor }),
      },
    ],
    <Panel title="Other checks" checks={[{ state: 'bad', sentence: FAILED }]} />,
  )
})

const FAILED =
  'The check stopped here; the log says why. The results above are valid. Run it again.'

type ListedEndpoint = Pick<Answers['Endpoints'], 'endpoints' | 'next'>

async function listed(visit: ConsoleVisit, cursor: string | undefined): Promise<ListedEndpoint> {
  const path = pathWith('/endpoints', { cursor, limit: PAGE })
  const { body } = await ask<Answers['Endpoints']>(visit, 'GET', path)
  return body ?? { endpoints: [] }
}

/** Runs the parts one after the other: each can use all the connections that a request is allowed. */
async function* runChecks(
  visit: ConsoleVisit,
  listed: ListedEndpoint & { readonly isOne: boolean; readonly isWhole: boolean },
): AsyncGenerator<HtmlChunk> {
  const { next, isOne, isWhole } = listed
  let { endpoints } = listed
  const states: DoctorCheck['state'][] = []
  const noted = (checks: readonly DoctorCheck[]) => {
    states.push(...checks.map(({ state }) => state))
    return checks
  }
  if (isWhole) {
    yield <Checking at="the deployment" />
    const { isUp, checks } = await checkDeployment(visit)
    yield <Panel title="Deployment" checks={noted(checks)} />
    if (!isUp) endpoints = []
  }
  for (const endpoint of endpoints) {
    yield <Checking at={endpoint.title} />
    const isAsked = endpoint.active || isOne
    const checks = isAsked ? await checkEndpoint(visit, endpoint) : [OFF]
    const href = `/console/endpoints/${endpoint.name}/settings`
    yield <Panel title={endpoint.title} href={href} checks={noted(checks)} />
  }
  const [first] = endpoints
  if (first && !next) {
    yield <Checking at="how apps connect" />
    // For one endpoint, its own URL; otherwise the main one.
    const name = isOne ? first.name : undefined
    const checks = noted(await checkApps(visit, name))
    yield <Panel title={`How apps connect to /mcp${name ? `/${name}` : ''}`} checks={checks} />
  }
  if (next) {
    yield (
      <p>
        <a href={pathWith('/console/doctor', { cursor: next })}>Check the next endpoints</a>
      </p>
    )
  }
  yield <Result states={states} />
}

const OFF: DoctorCheck = { state: 'off', sentence: 'Switched off, so it was not checked.' }

/** Shows the current check until the next part appears below it. */
const Checking = ({ at }: { readonly at: string }) => (
  <p class="looking small dim">
    Checking <bdi>{at}</bdi> …
  </p>
)

/** Summary. It arrives last and is displayed first. */
const Result = ({ states }: { readonly states: readonly DoctorCheck['state'][] }) => {
  const bad = states.filter((it) => it === 'bad').length
  const low = states.filter((it) => it === 'low').length
  return (
    <p class="result" role="status">
      {states.length} checks: {bad || 'none'} to fix,{' '}
      {low ? counted(low, 'warning') : 'no warnings'}.
    </p>
  )
}
