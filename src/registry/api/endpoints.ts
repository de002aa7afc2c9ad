import * as z from 'zod/mini'
import type { EndpointEntry } from '../state/entries.ts'
import { endpointBody, entryOf, shown, shownConfigured, shownEndpoint } from './endpoint-body.ts'
import { ApiFault, answer, nothing, wrongField } from './fault.ts'
import {
  assertUnchanged,
  assertWritten,
  changeQuery,
  changeTime,
  pageOf,
  pageQuery,
  upTo,
} from './lists.ts'
import { mergePatch } from './merge-patch.ts'
import { fieldsOf } from './noting.ts'
import { type Route, route } from './route.ts'
import { called, found, isHidden, nameParam, served } from './served.ts'
import type { ApiContext } from './surroundings.ts'

/** A JSON Merge Patch. */
export const patchBody = z.record(z.string(), z.unknown())

const listQuery = z.extend(pageQuery, {
  /** Only endpoints with this text in the name or title. The case of ASCII letters does not matter. */
  search: z.optional(upTo(200)),
})

/** `/api/endpoints` */
export const endpointRoutes = (): readonly Route[] => [
  route('get', '/api/endpoints', {
    summary:
      'Lists endpoints by name, with those from the configuration first: all, or only those with a given text in the name or title.',
    query: listQuery,
    answers: [200, 'A page of endpoints.', pageOf('endpoints', shownEndpoint)],
    run: ({ query }, surroundings) => list(query, surroundings),
  }),
  route('post', '/api/endpoints', {
    summary: 'Adds an endpoint. A connection string in it is stored encrypted.',
    body: endpointBody,
    answers: [201, 'The endpoint, whose URL is in Location.', shownEndpoint],
    says: ({ body: { name } }) => `added endpoint ${name}`,
    async run({ body }, surroundings) {
      const { name } = body
      const there = await served(name, surroundings)
      if (there?.stored) assertWritten('exists', called(name))
      if (there && isHidden(name, surroundings)) {
        throw new ApiFault(409, `${called(name)} is from the configuration. Choose another name.`)
      }
      const made = await entryOf(body, undefined, surroundings)
      assertWritten(await surroundings.change('putEndpoint', { entry: made }), called(name))
      return answer(shown(made), 201, { location: `/api/endpoints/${name}` })
    },
  }),
  route('get', '/api/endpoints/{name}', {
    summary: 'Shows an endpoint.',
    params: nameParam,
    answers: [200, 'The endpoint.', shownEndpoint],
    async run({ params: { name } }, surroundings) {
      const { stored, value } = await found(name, surroundings)
      return answer(stored ? shown(stored) : shownConfigured(value))
    },
  }),
  route('patch', '/api/endpoints/{name}', {
    summary: 'Changes an endpoint with a JSON Merge Patch (RFC 7396), or switches it on or off.',
    params: nameParam,
    query: changeQuery,
    body: patchBody,
    answers: [200, 'The endpoint.', shownEndpoint],
    says: ({ params: { name }, body }) =>
      Object.keys(body).join() === 'active'
        ? `switched endpoint ${name} ${body.active ? 'on' : 'off'}`
        : `changed endpoint ${name}: ${fieldsOf(body)}`,
    run: ({ params, query, body }, surroundings) => change(params.name, body, surroundings, query),
  }),
  route('delete', '/api/endpoints/{name}', {
    summary: 'Removes an endpoint and its credentials.',
    params: nameParam,
    answers: [204, 'It is gone.'],
    says: ({ params: { name } }) => `removed endpoint ${name}`,
    async run({ params: { name } }, surroundings) {
      await storedOne(name, surroundings)
      assertWritten(await surroundings.change('deleteEndpoint', { name }), called(name))
      return nothing()
    },
  }),
  route('put', '/api/endpoints/{name}/databases/{database}/credential', {
    summary: 'Replaces a database’s URL. A connection string is stored encrypted.',
    params: z.extend(nameParam, { database: upTo(31) }),
    body: z.strictObject({ url: z.string().check(z.minLength(1)) }),
    answers: [200, 'The endpoint.', shownEndpoint],
    says: ({ params: { name, database } }) =>
      `replaced the URL of database ${database} in endpoint ${name}`,
    async run({ params: { name, database }, body: { url } }, surroundings) {
      const stored = await storedOne(name, surroundings)
      if (!Object.hasOwn(stored.value.databases, database)) {
        throw new ApiFault(404, `${called(name)} has no database with this name.`)
      }
      return change(name, { databases: { [database]: { url } } }, surroundings)
    },
  }),
]

async function storedOne(name: string, surroundings: ApiContext): Promise<EndpointEntry> {
  const { stored } = await found(name, surroundings)
  if (stored) return stored
  const advice = surroundings.isOnlyDemo ? 'Add one with this name instead.' : 'Change it there.'
  throw new ApiFault(409, `${called(name)} is from the configuration. ${advice}`)
}

/** Maximum number of attempts at a change when another change comes first. */
const MAX_TRIES = 3

/** Fields to change in an endpoint. Null removes one. */
type Patch = Readonly<Record<string, unknown>>

/** Changes an endpoint in the registry with a merge patch. Throws {@link ApiFault}. */
export async function change(
  name: string,
  given: Patch | ((was: EndpointEntry) => Patch),
  surroundings: ApiContext,
  since: z.infer<typeof changeQuery> = {},
): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const was = await storedOne(name, surroundings)
    assertUnchanged(was, since, called(name))
    const patch = typeof given === 'function' ? given(was) : given
    if (Object.hasOwn(patch, 'name') && patch.name !== name) {
      throw wrongField('name', 'cannot be changed. Add another endpoint instead.')
    }
    // An endpoint that can no longer be served can still be switched off.
    const isOff = Object.keys(patch).join() === 'active' && patch.active === false
    const entry = isOff
      ? { ...was, active: false, changedAt: changeTime(was) }
      : await entryOf(mergePatch({ ...was.value, active: was.active }, patch), was, surroundings)
    const outcome = await surroundings.change('putEndpoint', { entry, was: was.changedAt })
    if (outcome === 'changed' && tries < MAX_TRIES) continue
    assertWritten(outcome, called(name))
    return answer(shown(entry))
  }
}

/** Prefix of a cursor among the endpoints from the configuration. The position follows it. */
const CONFIGURED = '.'

async function list(
  { limit, cursor = `${CONFIGURED}0`, search = '' }: z.infer<typeof listQuery>,
  { ask, configured, isOnlyDemo }: ApiContext,
): Promise<Response> {
  const names = configured.map(({ name }) => name)
  const replaced = isOnlyDemo ? (await ask('existing', { endpoints: names })).endpoints : []
  const sought = search.toLowerCase()
  const others = configured.filter(
    ({ name, title }) =>
      !replaced.includes(name) && `${name}\n${title}`.toLowerCase().includes(sought),
  )
  const isAmongOthers = cursor.startsWith(CONFIGURED)
  const start = isAmongOthers ? Number(cursor.slice(CONFIGURED.length)) : others.length
  if (!Number.isInteger(start)) throw wrongField('cursor', 'is not from a list of endpoints.')
  const first = others.slice(start, start + limit)
  const left = limit - first.length
  const after = isAmongOthers ? '' : cursor
  const page = await ask('endpoints', { after, search, limit: Math.max(left, 1) })
  const isMore = start + limit < others.length || page.total > 0
  return answer({
    endpoints: [...first.map(shownConfigured), ...(left > 0 ? page.entries.map(shown) : [])],
    total: others.length + page.total,
    next: left > 0 ? page.next : isMore ? `${CONFIGURED}${start + limit}` : undefined,
  })
}
