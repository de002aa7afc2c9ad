import { Hono } from 'hono/tiny'
import { answer } from '../answer.ts'
import { endpointOf } from '../parts/endpoint.ts'
import { pathWith } from '../parts/pages.tsx'
import { ask, type Visit } from '../visit.ts'
import { knownOf } from './figures.ts'
import { lookPage } from './look.tsx'
import { EndpointsPage } from './page.tsx'

/** Endpoints of a page: of so many, the figures are asked at once. */
const PAGE = 20

/** `/console`: the endpoints, and a test of one of them. */
export const endpoints = new Hono<{ Bindings: Visit }>()
  .get('/', async (c) => {
    const visit = c.env
    const { cursor, done } = c.req.query()
    const search = c.req.query('search')?.slice(0, 200)
    const { status, body } = await ask(
      visit,
      'GET',
      pathWith('/endpoints', { limit: PAGE, cursor, search }),
    )
    // A cursor that is none leads to the first page.
    if (status === 422 && cursor) return c.redirect('/console', 303)
    if (status !== 200) throw new Error(`The API answered ${status}.`)
    const all = await knownOf(visit, body.endpoints)
    const { total, next } = body
    const listed = { all, total, next, cursor, search, done }
    return answer(<EndpointsPage visit={visit} listed={listed} />)
  })
  .post('/look', async (c) => {
    const endpoint = await endpointOf(c.env, c.env.fields.get('name') ?? '')
    return lookPage(c.env, endpoint)
  })
