import * as z from 'zod/mini'
import { ConfigError, type GroupRules, groupRules } from '../../gateway/index.ts'
import type { Credential, StoredGroup } from '../state/entries.ts'
import { MAX_URL_CHARS, storedUrl } from './connection.ts'
import { shownCredential, shownOf } from './endpoint-body.ts'
import { ApiFault, checked, wrongField } from './fault.ts'
import { assertEndpoints, idText, member } from './keys.ts'
import { changeTime, moment, named, text, upTo, written } from './lists.ts'
import { candidateOf } from './served.ts'
import type { ApiContext, CandidateEndpoint } from './surroundings.ts'

/** Maximum number of characters in a group's JSON. */
const MAX_GROUP_CHARS = 256 * 1024

const name = z
  .string()
  .check(
    z.regex(
      /^[a-z][a-z0-9_-]{0,30}$/,
      'must be lower case and at most 31 characters, such as "sales"',
    ),
  )

const fields = {
  name,
  title: z.optional(text(80)),
  /** Names of people as in keys and at providers, or `group:` and the name of a provider's group. */
  people: z._default(z.array(member).check(z.maxLength(1_000)), []),
  /** Ids of keys. */
  keys: z._default(z.array(idText).check(z.maxLength(1_000)), []),
}

/** A group as it is stored, with its rules by endpoint name. */
export const groupValue = z.strictObject({
  ...fields,
  endpoints: z
    .record(name, groupRules())
    .check(
      z.refine((it) => Object.keys(it).length <= 100, { error: 'must name at most 100 endpoints' }),
    ),
})

/** A group in a request. A database's `url` can be a connection string. */
export const groupBody = named(
  'NewGroup',
  z.strictObject({
    ...fields,
    endpoints: z.record(
      z.string(),
      z.extend(groupRules(), {
        databases: z.optional(
          z.record(z.string(), z.looseObject({ url: z.optional(upTo(MAX_URL_CHARS)) })),
        ),
      }),
    ),
    // Read-only fields are accepted, so that a response can be sent back.
    changedAt: z.optional(upTo(40)),
    credentials: z.optional(z.array(z.unknown())),
  }),
)

export const shownGroup = named(
  'Group',
  z.extend(groupValue, {
    changedAt: moment,
    /** Stored connection strings. */
    credentials: z.optional(
      z.array(z.extend(shownCredential, { endpoint: z.string(), database: z.string() })),
    ),
  }),
)

export function shown({ credentials, changedAt, ...rest }: StoredGroup) {
  const own = Object.values(credentials).map((it) => {
    const { endpoint, database } = it
    return { endpoint, database, ...shownOf(it) }
  })
  return { ...rest, changedAt: written(changedAt), ...(own.length > 0 && { credentials: own }) }
}

/** Makes a group from a request. Seals its connection strings, and checks the names in it. */
export async function groupOf(
  { changedAt: _, credentials: __, ...sent }: z.infer<typeof groupBody>,
  was: StoredGroup | undefined,
  surroundings: ApiContext,
): Promise<StoredGroup> {
  const names = Object.keys(sent.endpoints)
  const known = Object.keys(was?.endpoints ?? {})
  await assertEndpoints(names, known, surroundings, (it) => `endpoints.${it}`)
  await assertKeys(sent.keys, was?.keys ?? [], surroundings)
  const credentials: [string, Credential][] = []
  const endpoints: [string, object][] = []
  for (const [endpoint, rules] of Object.entries(sent.endpoints)) {
    const databases: [string, object][] = []
    for (const [database, it] of Object.entries(rules.databases ?? {})) {
      const field = `endpoints.${endpoint}.databases.${database}.url`
      const purpose = { endpoint, database, group: sent.name }
      const about = [purpose, field, surroundings, was?.credentials, credentials] as const
      databases.push([database, it.url ? { ...it, url: await storedUrl(it.url, ...about) } : it])
    }
    const own = rules.databases && { databases: Object.fromEntries(databases) }
    endpoints.push([endpoint, { ...rules, ...own }])
  }
  const value = checked(groupValue, { ...sent, endpoints: Object.fromEntries(endpoints) })
  if (JSON.stringify(value).length > MAX_GROUP_CHARS) {
    throw new ApiFault(422, `A group must have at most ${MAX_GROUP_CHARS} characters of JSON.`)
  }
  const group = {
    ...value,
    credentials: Object.fromEntries(credentials),
    changedAt: changeTime(was),
  }
  for (const name of names) await assertRulesHold(name, group, surroundings)
  return group
}

async function assertKeys(
  ids: readonly string[],
  known: readonly string[],
  { ask }: ApiContext,
): Promise<void> {
  const sought = ids.filter((it) => !known.includes(it))
  if (sought.length === 0) return
  const existing = (await ask('existing', { keys: sought })).keys
  const missing = sought.find((it) => !existing.includes(it))
  if (missing !== undefined) {
    throw wrongField(`keys[${ids.indexOf(missing)}]`, 'names an unknown key.')
  }
}

/** Throws {@link ApiFault} if the endpoint cannot be served to the group because the rules name something missing. */
async function assertRulesHold(
  name: string,
  group: StoredGroup,
  surroundings: ApiContext,
): Promise<void> {
  const candidate = await asGroup(name, group, surroundings)
  try {
    // A deleted endpoint has no candidate.
    if (candidate) await surroundings.check(candidate)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new ApiFault(422, error.message, { field: `endpoints.${name}` })
  }
}

/** The endpoint as the group sees it. Undefined if there is none. */
export async function asGroup(
  endpoint: string,
  { name, endpoints, credentials }: StoredGroup,
  surroundings: ApiContext,
): Promise<CandidateEndpoint | undefined> {
  const candidate = await candidateOf(endpoint, surroundings)
  const rules: GroupRules = endpoints[endpoint]!
  return candidate && { ...candidate, group: { name, rules, credentials } }
}
