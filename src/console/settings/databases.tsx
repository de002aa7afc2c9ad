import { Hono } from 'hono/tiny'
import { seeOther } from '../answer.ts'
import { FormDraft } from '../parts/draft.ts'
import { endpointOf, type ShownEndpoint } from '../parts/endpoint.ts'
import type { ShownFix } from '../parts/fix.tsx'
import { recognised } from '../parts/recognise.ts'
import { textIn } from '../parts/texts.ts'
import { ask, type ConsoleVisit } from '../visit.ts'
import { assertThere, databasePage, newPage, removePage } from './database-pages.tsx'
import { numberIn } from './section.ts'
import { pathOf } from './settings-page.tsx'

const NAME = /^[a-z][a-z0-9_-]{0,30}$/

/** `/console/endpoints/NAME/settings/databases`: adds, changes and removes a database. */
export const databases = new Hono<{ Bindings: ConsoleVisit }>()
  .get('/new', async (c) => {
    return newPage({ visit: c.env, endpoint: await endpointOf(c.env, c.req.param('name')) })
  })
  .post('/new', async (c) => {
    const visit = c.env
    const { fields } = visit
    const endpoint = await endpointOf(visit, c.req.param('name'))
    const fail = (field: string, message: string, fix?: ShownFix) =>
      newPage({ visit, endpoint, draft: new FormDraft(fields, { field, message }), fix })
    const name = textIn(fields, 'database')
    if (!NAME.test(name)) {
      return fail('database', 'The name must be lowercase and at most 31 characters, such as shop.')
    }
    if (Object.hasOwn(endpoint.databases, name)) {
      return fail('database', `There is already a database named ${name}. Choose another name.`)
    }
    const found = await recognised(visit, textIn(fields, 'url'))
    if ('message' in found) return fail('url', found.message)
    const purpose = textIn(fields, 'purpose')
    const added = { url: found.url, ...(purpose && { purpose }) }
    const { refused } = await patch(visit, endpoint, { [name]: added })
    if (refused) return fail(inputOf(refused.field, name), refused.message, found.fix)
    return seeOther(`${pathOf(endpoint)}?done=added`)
  })
  .get('/:database', async (c) => {
    const endpoint = await endpointOf(c.env, c.req.param('name'))
    return databasePage({ visit: c.env, endpoint }, c.req.param('database'))
  })
  .post('/:database', async (c) => {
    const visit = c.env
    const { fields } = visit
    const { endpoint, name } = await databaseOf(visit, c.req.param())
    const changes = {
      purpose: textIn(fields, 'purpose') || null,
      role: textIn(fields, 'role') || null,
      claims: fields.has('claims') || null,
      catalogSeconds: numberIn(fields, 'catalogSeconds'),
    }
    const { refused } = await patch(visit, endpoint, { [name]: changes })
    if (!refused) return seeOther(`${pathOf(endpoint)}?done=database`)
    const draft = new FormDraft(fields, { ...refused, field: inputOf(refused.field, name) })
    return databasePage({ visit, endpoint, draft }, name)
  })
  .post('/:database/credential', async (c) => {
    const visit = c.env
    const { endpoint, name } = await databaseOf(visit, c.req.param())
    const fail = (message: string, fix?: ShownFix) => {
      const draft = new FormDraft(undefined, { field: 'url', message })
      return databasePage({ visit, endpoint, draft, fix }, name)
    }
    const found = await recognised(visit, textIn(visit.fields, 'url'))
    if ('message' in found) return fail(found.message)
    const path = `/endpoints/${endpoint.name}/databases/${name}/credential`
    const { refused } = await ask(visit, 'PUT', path, { url: found.url })
    if (refused) return fail(refused.message, found.fix)
    return seeOther(`${pathOf(endpoint)}?done=database`)
  })
  .get('/:database/remove', async (c) => {
    const endpoint = await endpointOf(c.env, c.req.param('name'))
    return removePage({ visit: c.env, endpoint }, c.req.param('database'))
  })
  .post('/:database/remove', async (c) => {
    const visit = c.env
    const { endpoint, name } = await databaseOf(visit, c.req.param())
    const { refused } = await patch(visit, endpoint, { [name]: null })
    if (!refused) return seeOther(`${pathOf(endpoint)}?done=removed`)
    return removePage({ visit, endpoint, draft: new FormDraft(visit.fields, refused) }, name)
  })

/** Endpoint and database in a path. Throws {@link NotFound}. */
async function databaseOf(
  visit: ConsoleVisit,
  { name: endpointName, database: name = '' }: Readonly<Record<string, string>>,
) {
  const endpoint = await endpointOf(visit, endpointName)
  assertThere(endpoint, name)
  return { endpoint, name }
}

/** Changes some databases and leaves the others alone. */
const patch = (visit: ConsoleVisit, { name }: ShownEndpoint, databases: object) =>
  ask(visit, 'PATCH', `/endpoints/${name}`, { databases })

/** Name of the input for an API field such as `databases.shop.role`. */
const inputOf = (field = '', name: string): string => {
  const within = `databases.${name}.`
  return field.startsWith(within) ? field.slice(within.length) : 'url'
}
