import { Hono } from 'hono/tiny'
import { answer } from '../answer.ts'
import { Page } from '../parts/page.tsx'
import type { Visit } from '../visit.ts'

export const doctor = new Hono<{ Bindings: Visit }>().get('/', (c) =>
  answer(
    <Page visit={c.env} title="Doctor" section="doctor">
      <h1>Doctor</h1>
    </Page>,
  ),
)
