import { Hono } from 'hono/tiny'
import { seeOther } from '../answer.ts'
import { Draft } from '../parts/draft.ts'
import { pathWith } from '../parts/pages.tsx'
import type { Visit } from '../visit.ts'
import { columnsPage } from './columns-page.tsx'
import { columnsIn, tablesIn } from './rule-forms.ts'
import { pathOf, placeOf, save } from './rule-place.tsx'
import { tablesPage } from './tables-page.tsx'

/** `…/tables/DATABASE`: the tables and columns of a database that a group sees. */
export const ruleTables = new Hono<{ Bindings: Visit }>()
  .get('/:database', async (c) => tablesPage(await placeOf(c.env, c.req.param()), c.req.query()))
  .post('/:database', async (c) => {
    const visit = c.env
    const place = await placeOf(visit, c.req.param())
    const { search, offset } = Object.fromEntries(visit.fields)
    const refused = await save(place, tablesIn(visit.fields, place.rules))
    if (refused) return tablesPage(place, { search, offset }, new Draft(visit.fields, refused))
    return seeOther(pathWith(pathOf(place), { search, offset, done: 'saved' }))
  })
  .get('/:database/columns', async (c) =>
    columnsPage(await placeOf(c.env, c.req.param()), c.req.query()),
  )
  .post('/:database/columns', async (c) => {
    const visit = c.env
    const place = await placeOf(visit, c.req.param())
    const { table = '', page, search } = Object.fromEntries(visit.fields)
    const columns = await columnsIn(place, table)
    const refused = await save(place, { tables: { [table]: columns } })
    if (refused) {
      return columnsPage(place, { table, page, search }, new Draft(visit.fields, refused))
    }
    const path = `${pathOf(place)}/columns`
    return seeOther(pathWith(path, { table, page, search, done: 'saved' }))
  })
