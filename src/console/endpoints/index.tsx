import { Hono } from 'hono/tiny'
import { answer } from '../answer.ts'
import { endpointOf } from '../parts/endpoint.ts'
import { pathWith } from '../parts/pages.tsx'
import { type Answers, ask, type ConsoleVisit } from '../visit.ts'
import { knownOf } from './figures.ts'
import { lookPage } from './look.tsx'
import { EndpointsPage } from './page.tsx'

/** Endpoints per page. One request loads the figures for all of them. */
const PAGE = 20

/** `/console`: list of endpoints, and a test of one. */
export const endpoints = new Hono<{ Bindings: ConsoleVisit }>()
  .get('/', async (c) => {
    const visit = c.env
    const { cursor, done } = c.req.query()
    const search = c.req.query('search')?.slice(0, 200)
    const path = pathWith('/endpoints', { limit: PAGE, cursor, search })
    const found = await ask<Answers['Endpoints']>(visit, 'GET', path)
    // An invalid cursor goes to the first page.
    if (found.status === 422 && cursor) return c.redirect('/console', 303)
    if (!found.ok) throw new Error(found.refused.message)
    const all = await knownOf(visit, found.body.endpoints)
    const query = { search, cursor, done }
    return answer(<EndpointsPage visit={visit} all={all} of={found.body} query={query} />)
  })
  .post('/look', async (c) => {
    const endpoint = await endpointOf(c.env, c.env.fields.get('name') ?? '')
    return lookPage(c.env, endpoint)
  })
