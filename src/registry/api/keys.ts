import * as z from 'zod/mini'
import type { KeyEntry } from '../entries.ts'
import { makeKey } from '../key.ts'
import { ApiFault, answer, wrongField } from './fault.ts'
import {
  assertUnchanged,
  assertWritten,
  changeQuery,
  filterQuery,
  moment,
  named,
  pageFields,
  written,
} from './lists.ts'
import { fieldsOf } from './noting.ts'
import { type Route, route } from './route.ts'
import type { Surroundings } from './surroundings.ts'

const idParam = z.object({ id: z.string().check(z.maxLength(12)) })

const label = z.string().check(z.minLength(1), z.maxLength(80))

/** Names of endpoints, or `*` for all of them. */
const endpoints = z
  .array(z.string().check(z.regex(/^(?:\*|[a-z][a-z0-9_-]{0,30})$/, 'must be a name or "*"')))
  .check(z.minLength(1), z.maxLength(100))

/** The rights that a key may have. */
const scopes = z.array(z.enum(['db:read'])).check(z.minLength(1), z.maxLength(1))

/** A name that a group may have among its people: of a person, or `group:` and what a provider says they are in. */
export const member = z.string().check(
  z.minLength(1),
  z.maxLength(200),
  z.refine((it) => it !== 'key' && !it.toLowerCase().startsWith('key:') && !/\p{Cc}/u.test(it), {
    error: 'must not be "key", begin with "key:" or contain control characters',
  }),
)

/** What a database, a record and a group see instead of the key. */
export const person = member.check(
  z.refine((it) => !it.toLowerCase().startsWith('group:'), {
    error: 'must not begin with "group:", which stands for a group of an identity provider',
  }),
)

/** What row-level security reads of the caller. */
export const claims = z
  .record(
    z.string().check(z.minLength(1), z.maxLength(100)),
    z.union([z.string().check(z.maxLength(500)), z.number(), z.boolean()]),
  )
  .check(z.refine((it) => Object.keys(it).length <= 50, { error: 'must have at most 50 fields' }))

const newKey = named(
  'NewKey',
  z.strictObject({
    label,
    endpoints,
    scopes: z._default(scopes, ['db:read']),
    expiresAt: z.optional(moment),
    person: z.optional(person),
    claims: z.optional(claims),
  }),
)

const changedKey = z.strictObject({
  label: z.optional(label),
  endpoints: z.optional(endpoints),
  /** Null lets it never expire. */
  expiresAt: z.optional(z.nullable(moment)),
})

const shownKey = named(
  'Key',
  z.object({
    id: z.string(),
    label: z.string(),
    endpoints: z.array(z.string()),
    scopes: z.array(z.string()),
    person: z.optional(z.string()),
    claims: z.optional(claims),
    createdAt: moment,
    changedAt: moment,
    expiresAt: z.optional(moment),
    /** When it was used last, to a few minutes. */
    usedAt: z.optional(moment),
  }),
)

/** `/api/keys` */
export const keyRoutes = (): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/keys',
    summary:
      'Lists the keys of callers: all, or those that open an endpoint or have a text in label or person.',
    query: filterQuery,
    answers: {
      200: {
        description: 'A page of keys.',
        schema: z.object({ keys: z.array(shownKey), ...pageFields }),
      },
    },
    async run({ query: { cursor, ...filter } }, { ask }) {
      const page = await ask('keys', { after: cursor, ...filter })
      const { entries = [], total = 0, next } = page ?? {}
      return answer({ keys: entries.map(shown), total, next })
    },
  }),
  route({
    method: 'post',
    path: '/api/keys',
    summary: 'Makes a key. This answer is the only one that has it.',
    body: newKey,
    answers: {
      201: {
        description: 'The key, and its secret URLs by the names of the endpoints.',
        schema: z.extend(shownKey, {
          key: z.string(),
          secretUrls: z.record(z.string(), z.string()),
        }),
      },
    },
    says: ({ body: { label, endpoints } }) => `made key ${label} for ${openedBy(endpoints)}`,
    async run({ body, url }, surroundings) {
      await assertEndpoints(body.endpoints, [], surroundings)
      const { key, id, hash } = await makeKey()
      const now = Date.now()
      const { expiresAt, ...rest } = body
      const entry = { ...rest, id, hash, createdAt: now, changedAt: now, ...expiry(expiresAt) }
      assertWritten(await surroundings.change('putKey', { entry }), 'The key')
      const urls = entry.endpoints.map((name) => [
        name,
        `${url.origin}/k/${key}/mcp${name === '*' ? '' : `/${name}`}`,
      ])
      const made = { ...shown(entry), key, secretUrls: Object.fromEntries(urls) }
      return answer(made, 201, { location: `/api/keys/${id}` })
    },
  }),
  route({
    method: 'get',
    path: '/api/keys/{id}',
    summary: 'Shows what is known of a key.',
    params: idParam,
    answers: { 200: { description: 'The key, without its secret part.', schema: shownKey } },
    run: async ({ params: { id } }, surroundings) => answer(shown(await stored(id, surroundings))),
  }),
  route({
    method: 'patch',
    path: '/api/keys/{id}',
    summary: 'Changes what a key opens, and until when.',
    params: idParam,
    query: changeQuery,
    body: changedKey,
    answers: { 200: { description: 'The key, without its secret part.', schema: shownKey } },
    says: async ({ params: { id }, body }, { ask }) =>
      `changed key ${await labelOf(id, ask)}: ${fieldsOf(body)}`,
    async run({ params: { id }, query, body }, surroundings) {
      const was = await stored(id, surroundings)
      assertUnchanged(was, query, 'The key')
      await assertEndpoints(body.endpoints ?? [], was.endpoints, surroundings)
      const { label = was.label, endpoints = was.endpoints } = body
      const { expiresAt: old, ...kept } = was
      const until = body.expiresAt === undefined ? { expiresAt: old } : expiry(body.expiresAt)
      const changedAt = Math.max(Date.now(), was.changedAt + 1)
      const entry = { ...kept, label, endpoints, ...until, changedAt }
      const outcome = await surroundings.change('putKey', { entry, was: was.changedAt })
      assertWritten(outcome, 'The key')
      return answer(shown(entry))
    },
  }),
  route({
    method: 'delete',
    path: '/api/keys/{id}',
    summary: 'Revokes a key.',
    params: idParam,
    answers: { 204: { description: 'It opens nothing any more.' } },
    says: async ({ params: { id } }, { ask }) => `revoked key ${await labelOf(id, ask)}`,
    async run({ params: { id } }, { change }) {
      assertWritten(await change('deleteKey', { id }), 'The key')
      return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } })
    },
  }),
]

const openedBy = (endpoints: readonly string[]) =>
  endpoints.includes('*') ? 'all endpoints' : endpoints.join(', ')

/** What a key is called. One that is not there is changed by nobody. */
const labelOf = async (id: string, ask: Surroundings['ask']) =>
  (await ask('key', { id }))?.label ?? id

async function stored(id: string, { ask }: Surroundings): Promise<KeyEntry> {
  const entry = await ask('key', { id })
  if (!entry) throw new ApiFault(404, 'The key is not there.')
  return entry
}

function shown({ hash: _, createdAt, changedAt, expiresAt, usedAt, ...rest }: KeyEntry) {
  return {
    ...rest,
    createdAt: written(createdAt),
    changedAt: written(changedAt),
    ...(expiresAt !== undefined && { expiresAt: written(expiresAt) }),
    ...(usedAt !== undefined && { usedAt: written(usedAt) }),
  }
}

function expiry(moment: string | null | undefined): { readonly expiresAt?: number } {
  if (!moment) return {}
  const expiresAt = Date.parse(moment)
  if (expiresAt <= Date.now()) throw wrongField('expiresAt', 'is over. Name a time to come.')
  return { expiresAt }
}

/** Throws {@link ApiFault} for a name that no endpoint has, unless it was there already. */
export async function assertEndpoints(
  names: readonly string[],
  known: readonly string[],
  { ask, configured }: Surroundings,
  fieldOf = (name: string) => `endpoints[${names.indexOf(name)}]`,
): Promise<void> {
  const isKnown = (name: string) =>
    name === '*' || known.includes(name) || configured.some((it) => it.name === name)
  const sought = names.filter((it) => !isKnown(it))
  if (sought.length === 0) return
  const existing = (await ask('existing', { endpoints: sought }))?.endpoints ?? []
  const missing = sought.find((it) => !existing.includes(it))
  if (missing !== undefined) throw wrongField(fieldOf(missing), 'names no endpoint that there is.')
}
