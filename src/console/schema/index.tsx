import { Hono } from 'hono/tiny'
import { answer, download, seeOther } from '../answer.ts'
import { endpointOf, type ShownEndpoint } from '../parts/endpoint.ts'
import { pathWith } from '../parts/pages.tsx'
import { cut } from '../parts/texts.ts'
import { ask, type ConsoleVisit } from '../visit.ts'
import { changesOf, fieldsOf, markOf, tidy } from './changes.ts'
import { fitted } from './columns.tsx'
import { hrefOf, placeOf, type SchemaPlace } from './place.ts'
import { type FormMessages, SchemaShown } from './schema-page.tsx'
import { type ApiGlossary, type SchemaPage, type ShownTable, speaks } from './shown.ts'
import { PAGE_COLUMNS } from './table.tsx'
import { PAGE_TABLES } from './tables.tsx'

/** `/console/endpoints/NAME/schema`: an endpoint's schema and glossary. */
export const schema = new Hono<{ Bindings: ConsoleVisit }>()
  .get('/', async (c) => {
    const { endpoint, place } = await visited(c.env, c.req.param('name'), c.req.query())
    return show(c.env, endpoint, place, 200, { done: c.req.query('done') })
  })
  .get('/glossary.json', async (c) => {
    const endpoint = await endpointOf(c.env, c.req.param('name'))
    const text = `${JSON.stringify(glossaryOf(endpoint), null, 2)}\n`
    return download(text, 'application/json', `${endpoint.name}-glossary.json`)
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
    const refused = await patched(c.env, place, { [entry]: gone })
    return refused
      ? show(c.env, endpoint, place, 422, refused)
      : seeOther(hrefOf(place, { done: 'removed' }))
  })
  .post('/terms', async (c) => {
    const { endpoint, place } = await visited(c.env, c.req.param('name'), c.req.query())
    return saveTerm(c.env, endpoint, place)
  })

/** Endpoint and place in the request. */
async function visited(
  visit: ConsoleVisit,
  name: string | undefined,
  query: Record<string, string>,
) {
  const endpoint = await endpointOf(visit, name)
  const databases = Object.keys(endpoint.databases)
  const { database = '' } = query
  const chosen = databases.includes(database) ? database : databases[0]!
  return { endpoint, place: placeOf(endpoint.name, chosen, query) }
}

async function show(
  visit: ConsoleVisit,
  endpoint: ShownEndpoint,
  place: SchemaPlace,
  status: number,
  messages: FormMessages,
): Promise<Response> {
  const { database, search, from, table: name, column } = place
  const read = <Body,>(query: Readonly<Record<string, string | number | undefined>>) => {
    const path = `/endpoints/${endpoint.name}/schema`
    return ask<Body>(visit, 'GET', pathWith(path, { database, ...query }))
  }
  const [list, described] = await Promise.all([
    // Comparing reads the names of all tables.
    read<SchemaPage>({
      ...{ search, offset: from, limit: PAGE_TABLES },
      compare: name === undefined ? 'yes' : undefined,
    }),
    name === undefined
      ? undefined
      : read<{ table: ShownTable }>({ table: name, offset: column, limit: PAGE_COLUMNS }),
  ])
  return answer(
    <SchemaShown
      {...{ visit, endpoint, place, messages }}
      list={list.body}
      table={described?.body && fitted(described.body.table, column)}
      problem={(described?.refused ?? list.refused)?.message}
    />,
    status,
  )
}

/** Maximum length of refused text to show again. */
const MAX_TYPED_CHARS = 1_000

/** Saves the descriptions of a table and its columns. */
async function saveTable(
  visit: ConsoleVisit,
  endpoint: ShownEndpoint,
  place: SchemaPlace,
): Promise<Response> {
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
async function saveTerm(
  visit: ConsoleVisit,
  endpoint: ShownEndpoint,
  place: SchemaPlace,
): Promise<Response> {
  const { fields } = visit
  const was = fields.get('was') ?? undefined
  const typed = { term: tidy(fields.get('term') ?? ''), meaning: tidy(fields.get('meaning') ?? '') }
  const isRemoved = fields.get('do') === 'remove' && was !== undefined
  const terms = new Map(Object.entries(endpoint.terms ?? {}))
  const refuse = (problem: string, status: number) =>
    show(visit, endpoint, place, status, { problem, term: typed })
  if (markOf(was === undefined ? '' : terms.get(was)) !== fields.get('seen')) {
    return refuse(
      'Someone else changed this term in the meantime. Check their version, then save yours again.',
      409,
    )
  }
  if (!isRemoved && typed.term !== was && terms.has(typed.term)) {
    return refuse(`The term ${typed.term} already exists. Change that one instead.`, 409)
  }
  if (!isRemoved && (!typed.term || !typed.meaning)) {
    return refuse('A term needs a word and a meaning. Fill in both.', 422)
  }
  const patch = new Map<string, string | null>()
  if (was !== undefined) patch.set(was, null)
  if (!isRemoved) patch.set(typed.term, typed.meaning)
  const refused = await change(visit, endpoint.name, { terms: Object.fromEntries(patch) })
  if (refused) return show(visit, endpoint, place, 422, { ...refused, term: typed })
  const done = isRemoved ? 'term-removed' : 'term-saved'
  return seeOther(`${hrefOf(place, { term: undefined, done })}#terms`)
}

/** Changes glossary entries in one database only. Returns the reason if refused. */
const patched = (visit: ConsoleVisit, { endpoint, database }: SchemaPlace, entries: object) =>
  change(visit, endpoint, { databases: { [database]: { glossary: entries } } })

async function change(
  visit: ConsoleVisit,
  endpoint: string,
  patch: object,
): Promise<{ problem: string } | undefined> {
  const { refused } = await ask(visit, 'PATCH', `/endpoints/${endpoint}`, patch)
  return refused && { problem: refused.message }
}

/** An endpoint's glossary and terms, in the form that `PATCH /api/endpoints/NAME` accepts. */
function glossaryOf(endpoint: ShownEndpoint) {
  const databases = Object.keys(endpoint.databases).map((it) => {
    const entries = Object.entries(glossaryIn(endpoint, it)).filter(([, entry]) => speaks(entry))
    return [it, { glossary: Object.fromEntries(entries) }]
  })
  return { databases: Object.fromEntries(databases), terms: endpoint.terms ?? {} }
}

const glossaryIn = ({ databases }: ShownEndpoint, database: string): ApiGlossary =>
  databases[database]?.glossary ?? {}
