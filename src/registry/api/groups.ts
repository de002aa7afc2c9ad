import * as z from 'zod/mini'
import { ConfigError, type GroupRules, groupRules } from '../../gateway/index.ts'
import type { Credential, StoredGroup } from '../entries.ts'
import { isConnectionString, MAX_URL_CHARS, sealConnection } from './connection.ts'
import { keptCredential, privateHostsOf, shownCredential, shownOf } from './endpoint-body.ts'
import { patchBody, served } from './endpoints.ts'
import { ApiFault, answer, checked, wrongField } from './fault.ts'
import { assertEndpoints, member } from './keys.ts'
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
import { mergePatch } from './merge-patch.ts'
import { fieldsOf } from './noting.ts'
import { type Route, route } from './route.ts'
import type { Candidate, Surroundings } from './surroundings.ts'

const NAME = /^[a-z][a-z0-9_-]{0,30}$/

/** Characters of the JSON of a group. */
const MAX_GROUP_CHARS = 256 * 1024

const nameParam = z.object({ name: z.string().check(z.maxLength(31)) })

const name = z
  .string()
  .check(z.regex(NAME, 'must be lower case and at most 31 characters, such as "sales"'))

const fields = {
  name,
  title: z.optional(z.string().check(z.minLength(1), z.maxLength(80))),
  /** As keys and providers name them; or `group:` and the name of a group of the provider. */
  people: z._default(z.array(member).check(z.maxLength(1_000)), []),
  /** Ids of keys. */
  keys: z._default(
    z
      .array(z.string().check(z.regex(/^[A-Za-z0-9]{12}$/, 'must be the id of a key')))
      .check(z.maxLength(1_000)),
    [],
  ),
}

/** What a group may see, by the names of endpoints. */
const rulesOf = (rules: z.ZodMiniType<GroupRules>) =>
  z
    .record(name, rules)
    .check(
      z.refine((it) => Object.keys(it).length <= 100, { error: 'must name at most 100 endpoints' }),
    )

/** A group, as it is stored. */
export const groupValue = z.strictObject({ ...fields, endpoints: rulesOf(groupRules()) })

/** A group, as it is sent. The `url` of a database may be a connection string. */
const groupBody = named(
  'NewGroup',
  z.strictObject({
    ...fields,
    endpoints: z.record(
      z.string(),
      z.extend(groupRules(), {
        databases: z.optional(
          z.record(
            z.string(),
            z.looseObject({ url: z.optional(z.string().check(z.maxLength(MAX_URL_CHARS))) }),
          ),
        ),
      }),
    ),
    // What is only shown may be sent back.
    changedAt: z.optional(z.string().check(z.maxLength(40))),
    credentials: z.optional(z.array(z.unknown())),
  }),
)

const shownGroup = named(
  'Group',
  z.extend(groupValue, {
    changedAt: moment,
    /** What is stored of connection strings. */
    credentials: z.optional(
      z.array(z.extend(shownCredential, { endpoint: z.string(), database: z.string() })),
    ),
  }),
)

const entry = { description: 'The group.', schema: shownGroup }

/** `/api/groups` */
export const groupRoutes = (): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/groups',
    summary:
      'Lists the groups of people and keys: all, or those that have an endpoint or a text in name or title.',
    query: filterQuery,
    answers: {
      200: {
        description: 'A page of groups.',
        schema: z.object({ groups: z.array(shownGroup), ...pageFields }),
      },
    },
    async run({ query: { cursor, ...filter } }, { ask }) {
      const page = await ask('groups', { after: cursor, ...filter })
      const { entries = [], total = 0, next } = page ?? {}
      return answer({ groups: entries.map(shown), total, next })
    },
  }),
  route({
    method: 'post',
    path: '/api/groups',
    summary: 'Adds a group: who is in it, and what it may see of which endpoints.',
    body: groupBody,
    answers: { 201: { ...entry, description: 'The group, whose URL is in Location.' } },
    says: ({ body: { name } }) => `added group ${name}`,
    async run({ body }, surroundings) {
      if (await surroundings.ask('group', body)) assertWritten('exists', called(body.name))
      const made = await groupOf(body, undefined, surroundings)
      assertWritten(await surroundings.change('putGroup', { entry: made }), called(made.name))
      return answer(shown(made), 201, { location: `/api/groups/${made.name}` })
    },
  }),
  route({
    method: 'get',
    path: '/api/groups/{name}',
    summary: 'Shows a group.',
    params: nameParam,
    answers: { 200: entry },
    run: async ({ params }, { ask }) => answer(shown(await stored(params.name, ask))),
  }),
  route({
    method: 'patch',
    path: '/api/groups/{name}',
    summary: 'Changes a group by a JSON Merge Patch (RFC 7396).',
    params: nameParam,
    query: changeQuery,
    body: patchBody,
    answers: { 200: entry },
    says: ({ params: { name }, body }) => `changed group ${name}: ${fieldsOf(body)}`,
    async run({ params, query, body }, surroundings) {
      if (Object.hasOwn(body, 'name') && body.name !== params.name) {
        throw wrongField('name', 'cannot be changed. Add another group instead.')
      }
      const was = await stored(params.name, surroundings.ask)
      assertUnchanged(was, query, called(params.name))
      const { changedAt: _, credentials: __, ...value } = was
      const made = await groupOf(checked(groupBody, mergePatch(value, body)), was, surroundings)
      const order = { entry: made, was: was.changedAt }
      assertWritten(await surroundings.change('putGroup', order), called(made.name))
      return answer(shown(made))
    },
  }),
  route({
    method: 'delete',
    path: '/api/groups/{name}',
    summary: 'Removes a group. Those who were in it are restricted by it no longer.',
    params: nameParam,
    answers: { 204: { description: 'It is gone.' } },
    says: ({ params: { name } }) => `removed group ${name}`,
    async run({ params: { name } }, { change }) {
      assertWritten(await change('deleteGroup', { name }), called(name))
      return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } })
    },
  }),
  route({
    method: 'post',
    path: '/api/groups/{name}/test',
    summary:
      'Says for each endpoint of a group which tools are off and why, and which names are unknown.',
    params: nameParam,
    answers: {
      200: {
        description: 'What the operator should know, by the names of the endpoints.',
        schema: z.object({
          endpoints: z.record(
            z.string(),
            z.object({ problem: z.optional(z.string()), notes: z.array(z.string()) }),
          ),
        }),
      },
    },
    async run({ params }, surroundings) {
      const group = await stored(params.name, surroundings.ask)
      const privateHosts = await privateHostsOf(surroundings)
      const reports: [string, object][] = []
      // One at a time: each may hold several connections.
      for (const name of Object.keys(group.endpoints)) {
        reports.push([name, await reportOn(name, group, surroundings, privateHosts)])
      }
      return answer({ endpoints: Object.fromEntries(reports) })
    },
  }),
]

const called = (name: string) => `The group ${name}`

async function stored(name: string, ask: Surroundings['ask']): Promise<StoredGroup> {
  const group = await ask('group', { name })
  if (!group) throw new ApiFault(404, `${called(name)} is not there.`)
  return group
}

function shown({ credentials, changedAt, ...rest }: StoredGroup) {
  const own = Object.values(credentials).map((it) => {
    const { endpoint, database } = it
    return { endpoint, database, ...shownOf(it) }
  })
  return { ...rest, changedAt: written(changedAt), ...(own.length > 0 && { credentials: own }) }
}

/** Makes a group of what was sent: seals the connection strings in it, and checks what it names. */
async function groupOf(
  { changedAt: _, credentials: __, ...sent }: z.infer<typeof groupBody>,
  was: StoredGroup | undefined,
  surroundings: Surroundings,
): Promise<StoredGroup> {
  const privateHosts = await privateHostsOf(surroundings)
  const names = Object.keys(sent.endpoints)
  const known = Object.keys(was?.endpoints ?? {})
  await assertEndpoints(names, known, surroundings, (it) => `endpoints.${it}`)
  await assertKeys(sent.keys, was?.keys ?? [], surroundings)
  const { endpoints, credentials } = await sealed(sent, was, surroundings, privateHosts)
  const value = checked(groupValue, { ...sent, endpoints })
  if (JSON.stringify(value).length > MAX_GROUP_CHARS) {
    throw new ApiFault(422, `A group must have at most ${MAX_GROUP_CHARS} characters of JSON.`)
  }
  const changedAt = Math.max(Date.now(), (was?.changedAt ?? 0) + 1)
  const group = { ...value, credentials, changedAt }
  for (const name of names) await assertRulesHold(name, group, surroundings, privateHosts)
  return group
}

async function assertKeys(
  ids: readonly string[],
  known: readonly string[],
  { ask }: Surroundings,
): Promise<void> {
  const sought = ids.filter((it) => !known.includes(it))
  if (sought.length === 0) return
  const existing = (await ask('existing', { keys: sought }))?.keys ?? []
  const missing = sought.find((it) => !existing.includes(it))
  if (missing !== undefined) {
    throw wrongField(`keys[${ids.indexOf(missing)}]`, 'names no key that there is.')
  }
}

async function sealed(
  { name: group, endpoints: sent }: Pick<z.infer<typeof groupBody>, 'name' | 'endpoints'>,
  was: StoredGroup | undefined,
  surroundings: Surroundings,
  privateHosts: readonly string[],
) {
  const credentials: Record<string, Credential> = {}
  const urlOf = async (url: string, endpoint: string, database: string): Promise<string> => {
    const field = `endpoints.${endpoint}.databases.${database}.url`
    const purpose = { endpoint, database, group }
    if (!isConnectionString(url)) {
      const kept = keptCredential(url, purpose, field, was?.credentials)
      if (kept) credentials[kept.id] = kept
      return url
    }
    const made = await sealConnection(url, purpose, field, surroundings, privateHosts)
    credentials[made.id] = made
    return `credential:${made.id}`
  }
  const endpoints: [string, object][] = []
  for (const [endpoint, rules] of Object.entries(sent)) {
    const databases: [string, object][] = []
    for (const [database, it] of Object.entries(rules.databases ?? {})) {
      const url = it.url && (await urlOf(it.url, endpoint, database))
      databases.push([database, url === undefined ? it : { ...it, url }])
    }
    const own = rules.databases && { databases: Object.fromEntries(databases) }
    endpoints.push([endpoint, { ...rules, ...own }])
  }
  return { endpoints: Object.fromEntries(endpoints), credentials }
}

/** Throws {@link ApiFault} if the endpoint cannot be served to the group: it names what is not there. */
async function assertRulesHold(
  name: string,
  group: StoredGroup,
  surroundings: Surroundings,
  privateHosts: readonly string[],
): Promise<void> {
  const candidate = await candidateOf(name, group, surroundings, privateHosts)
  try {
    // There is none of an endpoint that was deleted.
    if (candidate) await surroundings.check(candidate)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new ApiFault(422, error.message, { field: `endpoints.${name}` })
  }
}

/** What the operator should know about the rules for one endpoint. */
async function reportOn(
  name: string,
  group: StoredGroup,
  surroundings: Surroundings,
  privateHosts: readonly string[],
): Promise<{ readonly problem?: string; readonly notes: readonly string[] }> {
  const candidate = await candidateOf(name, group, surroundings, privateHosts)
  if (!candidate) return { problem: 'There is no endpoint of this name.', notes: [] }
  try {
    return { notes: await surroundings.report(candidate) }
  } catch (error) {
    if (error instanceof ConfigError) return { problem: error.message, notes: [] }
    throw error
  }
}

/** The endpoint as it is for a group. */
async function candidateOf(
  name: string,
  { name: group, endpoints, credentials }: StoredGroup,
  surroundings: Surroundings,
  privateHosts: readonly string[],
): Promise<Candidate | undefined> {
  const it = await served(name, surroundings)
  const rules = endpoints[name]!
  return (
    it && {
      entry: it.stored ?? { value: it.value },
      privateHosts,
      group: { name: group, rules, credentials },
    }
  )
}
