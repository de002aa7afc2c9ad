import * as z from 'zod/mini'
import { endpointSchema } from '../../gateway/index.ts'
import type { Credential, EndpointEntry, KeyEntry, StoredGroup } from '../entries.ts'
import type { AskRegistry } from '../registry-state.ts'
import { currentKeyId } from './credentials.ts'
import { ApiFault, answer, wrongField } from './fault.ts'
import { groupValue } from './groups.ts'
import { claims, person } from './keys.ts'
import { assertWritten, moment, named } from './lists.ts'
import { count } from './noting.ts'
import { type Route, route } from './route.ts'
import { settingsValue } from './settings.ts'
import type { Surroundings } from './surroundings.ts'

/** What an export may have that is restored, in bytes. */
const MAX_EXPORT_BYTES = 32 * 1024 * 1024

/** Entries that are read at once. */
const PAGE = 200

const text = (most: number) => z.string().check(z.minLength(1), z.maxLength(most))
/** Up to the end of the year 9999, the last that the API can write. */
const milliseconds = z.int().check(z.gte(0), z.lt(Date.UTC(10_000, 0)))
const credentialIdText = z.string().check(z.regex(/^[A-Za-z0-9]{1,32}$/, 'must be an id'))

/** A sealed connection string. Only the TIDEGATE_SECRET that it was sealed with opens it. */
const credential = z.strictObject({
  id: credentialIdText,
  endpoint: text(31),
  database: text(31),
  group: z.optional(text(31)),
  scheme: text(30),
  host: z.string().check(z.maxLength(300)),
  sealed: z.strictObject({ keyId: text(100), iv: text(100), text: text(10_000) }),
  setAt: milliseconds,
})

const credentials = z.record(credentialIdText, credential)

const endpoint = z.strictObject({
  name: text(31),
  active: z.boolean(),
  value: endpointSchema(),
  credentials,
  createdAt: milliseconds,
  changedAt: milliseconds,
})

const key = z.strictObject({
  id: z.string().check(z.regex(/^[A-Za-z0-9]{12}$/, 'must be the id of a key')),
  hash: z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be a hash')),
  label: text(80),
  endpoints: z.array(text(31)).check(z.maxLength(100)),
  scopes: z.array(text(40)).check(z.maxLength(10)),
  person: z.optional(person),
  claims: z.optional(claims),
  createdAt: milliseconds,
  changedAt: milliseconds,
  expiresAt: z.optional(milliseconds),
  usedAt: z.optional(milliseconds),
})

const group = z.extend(groupValue, { credentials, changedAt: milliseconds })

/** Everything that a registry holds. */
const exported = named(
  'Export',
  z.strictObject({
    format: z.literal('tidegate-registry-1'),
    exportedAt: moment,
    settings: settingsValue,
    endpoints: z.array(endpoint).check(z.maxLength(20_000)),
    keys: z.array(key).check(z.maxLength(50_000)),
    groups: z.array(group).check(z.maxLength(2_000)),
  }),
)

const restored = z.object({
  mode: z.enum(['merge', 'replace']),
  written: z.object({ endpoints: z.int(), keys: z.int(), groups: z.int() }),
  /** How much the registry holds now. */
  holds: z.object({
    endpoints: z.int(),
    keys: z.int(),
    groups: z.int(),
    credentials: z.int(),
  }),
  /** Credentials that are not sealed with the present TIDEGATE_SECRET. */
  credentialsToReseal: z.optional(z.int()),
})

/** `/api/export` and `/api/restore` */
export const backupRoutes = (): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/export',
    summary: 'Exports the registry. Credentials stay encrypted, and of keys there are only hashes.',
    answers: { 200: { description: 'Everything that it holds.', schema: exported } },
    run: async (_, { ask }) =>
      new Response(exportOf(ask), {
        headers: {
          'content-type': 'application/json',
          'content-disposition': 'attachment; filename="tidegate-registry.json"',
          'cache-control': 'no-store',
        },
      }),
  }),
  route({
    method: 'post',
    path: '/api/restore',
    summary: 'Restores an export: all of it, or nothing.',
    query: z.strictObject({ mode: z._default(z.enum(['merge', 'replace']), 'merge') }),
    body: exported,
    maxBodyBytes: MAX_EXPORT_BYTES,
    answers: { 200: { description: 'What was written.', schema: restored } },
    says: ({ query: { mode }, body: { endpoints, keys, groups } }) => {
      const counts = [
        count(endpoints.length, 'endpoint'),
        count(keys.length, 'key'),
        count(groups.length, 'group'),
      ]
      const rest = mode === 'replace' ? ', and removed the rest' : ''
      return `restored an export: ${counts.join(', ')}${rest}`
    },
    run: ({ query: { mode }, body }, surroundings) => restore(mode, body, surroundings),
  }),
]

/** The export as a text in pieces: never more than a page of it is in memory. */
function exportOf(ask: AskRegistry): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const pieces = piecesOf(ask)
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: async () => void (await pieces.return()),
  })
}

async function* piecesOf(ask: AskRegistry): AsyncGenerator<string, void> {
  const settings = JSON.stringify((await ask('settings', undefined)) ?? {})
  const exportedAt = new Date().toISOString()
  yield `{"format":"tidegate-registry-1","exportedAt":"${exportedAt}","settings":${settings}`
  // A group is exported after the keys and endpoints that it names.
  for (const list of ['endpoints', 'keys', 'groups'] as const) {
    yield `,"${list}":[`
    let after: string | undefined
    let separator = '\n'
    do {
      const page = await ask(list, { after, limit: PAGE })
      for (const entry of page?.entries ?? []) {
        yield `${separator}${JSON.stringify(entry)}`
        separator = ',\n'
      }
      after = page?.next
    } while (after !== undefined)
    yield ']'
  }
  yield '}\n'
}

async function restore(
  mode: 'merge' | 'replace',
  { settings, endpoints, keys, groups }: z.infer<typeof exported>,
  { ask, change, configured, isOnlyDemo, secrets }: Surroundings,
): Promise<Response> {
  assertOnce('endpoints', endpoints, ({ name }) => name)
  assertOnce('keys', keys, ({ id }) => id)
  assertOnce('groups', groups, ({ name }) => name)
  for (const [i, it] of endpoints.entries()) assertOwn(it, `endpoints[${i}]`)
  for (const [i, it] of groups.entries()) assertOwnOfGroup(it, `groups[${i}]`)
  const hidden = isOnlyDemo ? [] : configured.map(({ name }) => name)
  const clash = endpoints.find(({ name }) => hidden.includes(name))
  if (clash) {
    throw new ApiFault(409, `The endpoint ${clash.name} is from the configuration.`)
  }
  const contents = {
    settings,
    endpoints: endpoints as readonly EndpointEntry[],
    keys: keys as readonly KeyEntry[],
    groups: groups as readonly StoredGroup[],
  }
  assertWritten(await change('restore', { mode, contents }), 'The registry')
  const keyId = await currentKeyId(secrets).catch(() => undefined)
  const others = keyId && (await ask('credentialsNotUnder', { keyId, limit: 0 }))
  return answer({
    mode,
    written: { endpoints: endpoints.length, keys: keys.length, groups: groups.length },
    holds: await ask('counts', undefined),
    ...(others && { credentialsToReseal: others.total }),
  })
}

function assertOnce<Entry>(
  list: string,
  entries: readonly Entry[],
  nameOf: (entry: Entry) => string,
): void {
  const seen = new Set<string>()
  for (const [i, entry] of entries.entries()) {
    if (seen.has(nameOf(entry))) throw wrongField(`${list}[${i}]`, 'is there twice.')
    seen.add(nameOf(entry))
  }
}

/** Throws {@link ApiFault} unless an endpoint has the credentials that it names, and no others. */
function assertOwn({ name, value, credentials }: z.infer<typeof endpoint>, at: string): void {
  if (value.name !== name) throw wrongField(`${at}.name`, 'is not the name in its value.')
  const used = Object.entries(value.databases).map(([database, { url }]) => ({ database, url }))
  const isFor = (it: Credential, database: string) =>
    it.endpoint === name && it.database === database && it.group === undefined
  assertCredentials(used, credentials, isFor, at)
}

function assertOwnOfGroup({ name, endpoints, credentials }: z.infer<typeof group>, at: string) {
  const used = Object.entries(endpoints).flatMap(([endpoint, { databases = {} }]) =>
    Object.entries(databases).map(([database, { url = '' }]) => ({
      database: `${endpoint}/${database}`,
      url,
    })),
  )
  const isFor = (it: Credential, database: string) =>
    `${it.endpoint}/${it.database}` === database && it.group === name
  assertCredentials(used, credentials, isFor, at)
}

function assertCredentials(
  used: readonly { readonly database: string; readonly url: string }[],
  credentials: Readonly<Record<string, Credential>>,
  isFor: (credential: Credential, database: string) => boolean,
  at: string,
): void {
  const ids = new Set<string>()
  for (const { database, url } of used) {
    if (/^secret:TIDEGATE_/i.test(url)) throw wrongField(at, 'names a secret of Tidegate itself.')
    if (!url.startsWith('credential:')) continue
    const id = url.slice('credential:'.length)
    const found = Object.hasOwn(credentials, id) ? credentials[id] : undefined
    if (found?.id !== id || !isFor(found, database)) {
      throw wrongField(at, 'lacks a credential that it names, or has the one of something else.')
    }
    ids.add(id)
  }
  if (Object.keys(credentials).some((id) => !ids.has(id))) {
    throw wrongField(at, 'has a credential that it does not name.')
  }
}
