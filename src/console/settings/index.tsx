import { Hono } from 'hono/tiny'
import { answer } from '../answer.ts'
import { endpointOf } from '../parts/endpoint.ts'
import { EndpointHead, Page } from '../parts/page.tsx'
import type { Visit } from '../visit.ts'

export const settings = new Hono<{ Bindings: Visit }>().get('/', (c) =>
  answer(
    <Page visit={c.env} title="Settings" section="settings">
      <h1>Settings</h1>
    </Page>,
  ),
)

export const endpointSettings = new Hono<{ Bindings: Visit }>().get('/', async (c) => {
  const endpoint = await endpointOf(c.env, c.req.param('name'))
  return answer(
    <Page visit={c.env} title={`Settings of ${endpoint.title}`} section="endpoints">
      <EndpointHead visit={c.env} endpoint={endpoint} tab="settings" />
    </Page>,
  )
})
