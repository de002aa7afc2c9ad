import * as z from 'zod/mini'
import { foldName } from '../../ground/index.ts'
import { makeKey, READ } from '../keys/key.ts'
import type { KeyEntry } from '../state/entries.ts'
import { ApiFault, answer, nothing, wrongField } from './fault.ts'
import {
  answerPage,
  assertUnchanged,
  assertWritten,
  changeQuery,
  changeTime,
  filterQuery,
  moment,
  named,
  pageOf,
  text,
  upTo,
  written,
} from './lists.ts'
import { fieldsOf } from './noting.ts'
import { type Route, route } from './route.ts'
import type { ApiContext } from './surroundings.ts'

const idParam = z.object({ id: upTo(12) })

/** The id of a key. */
export const idText = z.string().check(z.regex(/^[A-Za-z0-9]{12}$/, 'must be the id of a key'))

/** Names of endpoints, or `*` for all of them. */
const endpoints = z
  .array(z.string().check(z.regex(/^(?:\*|[a-z][a-z0-9_-]{0,30})$/, 'must be a name or "*"')))
  .check(z.minLength(1), z.maxLength(100))

/** The rights that a key can have, as scopes. */
const scopes = z.array(z.enum([READ])).check(z.minLength(1), z.maxLength(1))

/** A name in a group's list of people: a person, or `group:` and the name of a provider's group. */
export const member = z.string().check(
  z.minLength(1),
  z.maxLength(200),
  z.refine((it) => it !== 'key' && !foldName(it).startsWith('key:') && !/\p{Cc}/u.test(it), {
    error: 'must not be "key", begin with "key:" or contain control characters',
  }),
)

/** The name that databases, records and groups see instead of the key. */
export const person = member.check(
  z.refine((it) => !foldName(it).startsWith('group:'), {
    error: 'must not begin with "group:", which stands for a group of an identity provider',
  }),
)

/** The caller's claims for row-level security. */
export const claims = z
  .record(text(100), z.union([upTo(500), z.number(), z.boolean()]))
  .check(z.refine((it) => Object.keys(it).length <= 50, { error: 'must have at most 50 fields' }))

const newKey = named(
  'NewKey',
  z.strictObject({
    label: text(80),
    endpoints,
    scopes: z._default(scopes, [READ]),
    expiresAt: z.optional(moment),
    person: z.optional(person),
    claims: z.optional(claims),
  }),
)

const changedKey = z.strictObject({
  label: z.optional(text(80)),
  endpoints: z.optional(endpoints),
  /** Null for a key that never expires. */
  expiresAt: z.optional(z.nullable(moment)),
})

export const shownKey = named(
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
    /** Time of the last use, accurate to a few minutes. */
    usedAt: z.optional(moment),
  }),
)

export const madeKey = z.extend(shownKey, {
  key: z.string(),
  secretUrls: z.record(z.string(), z.string()),
})

/** `/api/keys` */
export const keyRoutes = (): readonly Route[] => [
  route('get', '/api/keys', {
    summary:
      'Lists the keys of callers: all, or those that open a given endpoint, or have a given text in the label or person.',
    query: filterQuery,
    answers: [200, 'A page of keys.', pageOf('keys', shownKey)],
    run: async ({ query: { cursor, ...filter } }, { ask }) =>
      answerPage('keys', await ask('keys', { after: cursor, ...filter }), shown),
  }),
  route('post', '/api/keys', {
    summary: 'Makes a key. Only this response shows it.',
    body: newKey,
    answers: [201, 'The key, and its secret URLs by endpoint name.', madeKey],
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
  route('get', '/api/keys/{id}', {
    summary: 'Shows a key, without its secret part.',
    params: idParam,
    answers: [200, 'The key, without its secret part.', shownKey],
    run: async ({ params: { id } }, surroundings) => answer(shown(await stored(id, surroundings))),
  }),
  route('patch', '/api/keys/{id}', {
    summary: 'Changes what a key opens, and until when.',
    params: idParam,
    query: changeQuery,
    body: changedKey,
    answers: [200, 'The key, without its secret part.', shownKey],
    says: async ({ params: { id }, body }, { ask }) =>
      `changed key ${await labelOf(id, ask)}: ${fieldsOf(body)}`,
    async run({ params: { id }, query, body }, surroundings) {
      const was = await stored(id, surroundings)
      assertUnchanged(was, query, 'The key')
      await assertEndpoints(body.endpoints ?? [], was.endpoints, surroundings)
      const { label = was.label, endpoints = was.endpoints } = body
      const { expiresAt: old, ...kept } = was
      const until = body.expiresAt === undefined ? { expiresAt: old } : expiry(body.expiresAt)
      const entry = { ...kept, label, endpoints, ...until, changedAt: changeTime(was) }
      const outcome = await surroundings.change('putKey', { entry, was: was.changedAt })
      assertWritten(outcome, 'The key')
      return answer(shown(entry))
    },
  }),
  route('delete', '/api/keys/{id}', {
    summary: 'Revokes a key.',
    params: idParam,
    answers: [204, 'It no longer opens anything.'],
    says: async ({ params: { id } }, { ask }) => `revoked key ${await labelOf(id, ask)}`,
    async run({ params: { id } }, { change }) {
      assertWritten(await change('deleteKey', { id }), 'The key')
      return nothing()
    },
  }),
]

const openedBy = (endpoints: readonly string[]) =>
  endpoints.includes('*') ? 'all endpoints' : endpoints.join(', ')

/** The label of a key. The id is enough for a missing key, because nothing is changed. */
const labelOf = async (id: string, ask: ApiContext['ask']) =>
  (await ask('key', { id }))?.label ?? id

async function stored(id: string, { ask }: ApiContext): Promise<KeyEntry> {
  const entry = await ask('key', { id })
  if (!entry) throw new ApiFault(404, 'The key does not exist.')
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
  if (expiresAt <= Date.now()) throw wrongField('expiresAt', 'is in the past. Give a future time.')
  return { expiresAt }
}

/** Throws {@link ApiFault} if no endpoint has a name, unless the name was there before. */
export async function assertEndpoints(
  names: readonly string[],
  known: readonly string[],
  { ask, configured }: ApiContext,
  fieldOf = (name: string) => `endpoints[${names.indexOf(name)}]`,
): Promise<void> {
  const isKnown = (name: string) =>
    name === '*' || known.includes(name) || configured.some((it) => it.name === name)
  const sought = names.filter((it) => !isKnown(it))
  if (sought.length === 0) return
  const existing = (await ask('existing', { endpoints: sought })).endpoints
  const missing = sought.find((it) => !existing.includes(it))
  if (missing !== undefined) throw wrongField(fieldOf(missing), 'names an unknown endpoint.')
}
