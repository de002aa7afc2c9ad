import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { endpointOf, type ShownEndpoint } from '../parts/endpoint.ts'
import { ask, type Visit } from '../visit.ts'
import { changesOf, fieldsOf, markOf, tidy } from './changes.ts'
import { hrefOf, type Place, placeOf } from './place.ts'
import { type Said, SchemaShown } from './schema-page.tsx'
import { cut, type Glossary, type SchemaPage, type ShownTable, speaks } from './shown.ts'
import { fitted, PAGE_COLUMNS } from './table.tsx'
import { PAGE_TABLES } from './tables.tsx'

/** The schema of an endpoint, and what people say of it. */
export const schema = new Hono<{ Bindings: Visit }>()
  .get('/', async (c) => {
    const { endpoint, place } = await visited(c.env, c.req.param('name'), c.req.query())
    return show(c.env, endpoint, place, 200, { done: c.req.query('done') })
  })
  .get('/glossary.json', async (c) => {
    const endpoint = await endpointOf(c.env, c.req.param('name'))
    return new Response(`${JSON.stringify(glossaryOf(endpoint), null, 2)}\n`, {
      headers: {
        'content-type': 'application/json',
        'content-disposition': `attachment; filename="${endpoint.name}-glossary.json"`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
    })
  })
  .post('/table', async (c) => {
    const { endpoint, place } = await visited(c.env, c.req.param('name'), c.req.query())
    return saveTable(c.env, endpoint, place)
  })
  .post('/gone', async (c) => {
    const { endpoint, place } = await visited(c.env, c.req.param('name'), c.req.query())
    const entry = c.env.fields.get('entry') ?? ''
    const column = c.env.fields.get('column')
    const gone = column === null ? null : { columns: { [column]: null } }
    const said = await patched(c.env, place, { [entry]: gone })
    return said
      ? show(c.env, endpoint, place, 422, said)
      : seeOther(hrefOf(place, { done: 'removed' }))
  })
  .post('/terms', async (c) => {
    const { endpoint, place } = await visited(c.env, c.req.param('name'), c.req.query())
    return saveTerm(c.env, endpoint, place)
  })

/** The endpoint, and where one is in its schema. */
async function visited(visit: Visit, name: string | undefined, query: Record<string, string>) {
  const endpoint = await endpointOf(visit, name)
  const databases = Object.keys(endpoint.databases)
  const { database = '' } = query
  const chosen = databases.includes(database) ? database : databases[0]!
  return { endpoint, place: placeOf(endpoint.name, chosen, query) }
}

/** What the API says, or why it says nothing. */
async function shownBy<T>(visit: Visit, path: string): Promise<{ is?: T; problem?: string }> {
  const { status, body } = await ask(visit, 'GET', path)
  return status === 200 ? { is: body } : { problem: String(body?.error?.message ?? NO_ANSWER) }
}

const NO_ANSWER = 'The API does not answer. Try again.'

async function show(
  visit: Visit,
  endpoint: ShownEndpoint,
  place: Place,
  status: number,
  said: Said,
): Promise<Response> {
  const path = (query: Readonly<Record<string, string>>) =>
    `/endpoints/${endpoint.name}/schema?${new URLSearchParams({ database: place.database, ...query })}`
  const [list, table] = await Promise.all([
    shownBy<SchemaPage>(
      visit,
      path({
        ...(place.search && { search: place.search }),
        offset: `${place.from}`,
        limit: `${PAGE_TABLES}`,
        // It reads the names of all tables.
        ...(place.table === undefined && { compare: 'yes' }),
      }),
    ),
    place.table === undefined
      ? undefined
      : shownBy<{ table: ShownTable }>(
          visit,
          path({ table: place.table, offset: `${place.column}`, limit: `${PAGE_COLUMNS}` }),
        ),
  ])
  return answer(
    <SchemaShown
      visit={visit}
      endpoint={endpoint}
      place={place}
      list={list}
      table={
        table && { is: table.is && fitted(table.is.table, place.column), problem: table.problem }
      }
      said={said}
    />,
    status,
  )
}

/** Characters of a text that was refused and is shown again. */
const MAX_TYPED_CHARS = 1_000

/** Saves what a person says of a table and of its columns. */
async function saveTable(visit: Visit, endpoint: ShownEndpoint, place: Place): Promise<Response> {
  const entry = visit.fields.get('entry') ?? ''
  const fields = fieldsOf(visit.fields)
  const glossary = new Map(Object.entries(glossaryIn(endpoint, place.database)))
  const { patch, conflicts } = changesOf(fields, glossary.get(entry))
  const typed = new Map(fields.map(({ column, text }) => [column, cut(text, MAX_TYPED_CHARS)]))
  const refused = patch && (await patched(visit, place, { [entry]: patch }))
  if (refused) return show(visit, endpoint, place, 422, { ...refused, typed })
  if (conflicts.length === 0) return seeOther(hrefOf(place, { done: patch ? 'saved' : 'same' }))
  const now = await endpointOf(visit, endpoint.name)
  return show(visit, now, place, 409, { conflicts, typed })
}

/** Adds, changes, renames or removes a term. */
async function saveTerm(visit: Visit, endpoint: ShownEndpoint, place: Place): Promise<Response> {
  const { fields } = visit
  const was = fields.get('was') ?? undefined
  const typed = { term: tidy(fields.get('term') ?? ''), meaning: tidy(fields.get('meaning') ?? '') }
  const isRemoved = fields.get('do') === 'remove' && was !== undefined
  const terms = new Map(Object.entries((endpoint.terms ?? {}) as Record<string, string>))
  const refuse = (problem: string, status: number) =>
    show(visit, endpoint, place, status, { problem, term: typed })
  if (markOf(was === undefined ? '' : terms.get(was)) !== fields.get('seen')) {
    return refuse(
      'Somebody else changed this term meanwhile. Look at it, and save yours again.',
      409,
    )
  }
  if (!isRemoved && typed.term !== was && terms.has(typed.term)) {
    return refuse(`The term ${typed.term} is there already. Change that one.`, 409)
  }
  if (!isRemoved && (!typed.term || !typed.meaning)) {
    return refuse('A term has a word and a meaning. Fill in both.', 422)
  }
  const patch = new Map<string, string | null>()
  if (was !== undefined) patch.set(was, null)
  if (!isRemoved) patch.set(typed.term, typed.meaning)
  const refused = await change(visit, endpoint.name, { terms: Object.fromEntries(patch) })
  if (refused) return show(visit, endpoint, place, 422, { ...refused, term: typed })
  const done = isRemoved ? 'term-removed' : 'term-saved'
  return seeOther(`${hrefOf(place, { term: undefined, done })}#terms`)
}

/** Changes the entries of the glossary of the chosen database, and no others. Says why it was refused. */
const patched = (visit: Visit, { endpoint, database }: Place, entries: object) =>
  change(visit, endpoint, { databases: { [database]: { glossary: entries } } })

async function change(
  visit: Visit,
  endpoint: string,
  patch: object,
): Promise<{ problem: string } | undefined> {
  const { status, body } = await ask(visit, 'PATCH', `/endpoints/${endpoint}`, patch)
  return status === 200 ? undefined : { problem: String(body?.error?.message ?? NO_ANSWER) }
}

/** What people say in an endpoint, as `PATCH /api/endpoints/NAME` takes it. */
function glossaryOf(endpoint: ShownEndpoint) {
  const databases = Object.keys(endpoint.databases).map((it) => [
    it,
    {
      glossary: Object.fromEntries(
        Object.entries(glossaryIn(endpoint, it)).filter(([, entry]) => speaks(entry)),
      ),
    },
  ])
  return { databases: Object.fromEntries(databases), terms: endpoint.terms ?? {} }
}

const glossaryIn = ({ databases }: ShownEndpoint, database: string): Glossary =>
  databases[database]?.glossary ?? {}
