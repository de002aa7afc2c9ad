import { Hono } from 'hono/tiny'
import { answer } from '../answer.ts'
import { Page } from '../parts/page.tsx'
import type { Visit } from '../visit.ts'

export const endpoints = new Hono<{ Bindings: Visit }>().get('/', (c) =>
  answer(
    <Page visit={c.env} title="Endpoints" section="endpoints">
      <h1>Endpoints</h1>
    </Page>,
  ),
)
