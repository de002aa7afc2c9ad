import { Hono } from 'hono/tiny'
import { answer } from '../answer.ts'
import { Page } from '../parts/page.tsx'
import type { Visit } from '../visit.ts'

export const add = new Hono<{ Bindings: Visit }>().get('/', (c) =>
  answer(
    <Page visit={c.env} title="Add" section="endpoints">
      <h1>Add</h1>
    </Page>,
  ),
)
