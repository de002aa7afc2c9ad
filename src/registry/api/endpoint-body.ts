import * as z from 'zod/mini'
import {
  boundedQuestions,
  ConfigError,
  type Endpoint,
  endpointSchema,
  questionFields,
  questionSignature,
} from '../../gateway/index.ts'
import type { Credential, EndpointEntry } from '../entries.ts'
import { isConnectionString, MAX_URL_CHARS, sealConnection } from './connection.ts'
import { ApiFault, checked, wrongField } from './fault.ts'
import { moment, named, written } from './lists.ts'
import { assertAnswered, signedQuestions } from './signed-questions.ts'
import type { Surroundings } from './surroundings.ts'

/** Characters of the JSON of an endpoint. */
const MAX_VALUE_CHARS = 256 * 1024

/** What is said of a credential. It is never shown again. */
export const shownCredential = named(
  'Credential',
  z.object({
    scheme: z.string(),
    host: z.string(),
    setAt: moment,
  }),
)

const fromRegistry = {
  active: z.optional(z.boolean()),
  // What is only shown may be sent back.
  from: z.optional(z.enum(['registry', 'configuration'])),
  createdAt: z.optional(z.string().check(z.maxLength(40))),
  changedAt: z.optional(z.string().check(z.maxLength(40))),
  credentials: z.optional(z.record(z.string(), z.unknown())),
}

/** An endpoint, as it is sent. The `url` of a database may be a connection string. */
export const endpointBody = named(
  'NewEndpoint',
  z.extend(endpointSchema(), {
    databases: z.catchall(
      z.object({}),
      z.looseObject({
        url: z.string().check(z.maxLength(MAX_URL_CHARS)),
        purpose: z.optional(z.string().check(z.maxLength(200))),
      }),
    ),
    // Who checked a question, and when, is set where it is stored.
    questions: z.optional(
      boundedQuestions(
        z.strictObject({ ...questionFields(), ...z.partial(z.object(questionSignature())).shape }),
      ),
    ),
    ...fromRegistry,
  }),
)

/** An endpoint, as it is shown. */
export const shownEndpoint = named(
  'Endpoint',
  z.extend(endpointSchema(), {
    active: z.boolean(),
    from: z.enum(['registry', 'configuration']),
    createdAt: z.optional(moment),
    changedAt: z.optional(moment),
    /** What is stored of connection strings, by the names of the databases. */
    credentials: z.optional(z.record(z.string(), shownCredential)),
  }),
)

/** An endpoint of the registry as it is shown, which may be sent back as it is. */
export function shown({ value, active, createdAt, changedAt, credentials }: EndpointEntry): object {
  const own = Object.values(credentials).map((it) => [it.database, shownOf(it)] as const)
  return {
    ...value,
    active,
    from: 'registry',
    createdAt: written(createdAt),
    changedAt: written(changedAt),
    ...(own.length > 0 && { credentials: Object.fromEntries(own) }),
  }
}

export const shownConfigured = (value: Endpoint): object => ({
  ...value,
  active: true,
  from: 'configuration',
})

export const shownOf = ({ scheme, host, setAt }: Credential) => ({
  scheme,
  host,
  setAt: written(setAt),
})

/**
 * Makes an entry of what was sent: seals the connection strings in it, and sees that its server can be
 * built. Throws {@link ApiFault}.
 *
 * @param was the entry that it replaces
 */
export async function entryOf(
  sent: unknown,
  was: EndpointEntry | undefined,
  surroundings: Surroundings,
): Promise<EndpointEntry> {
  const { active = was?.active ?? true, ...body } = checked(endpointBody, sent)
  const privateHosts = await privateHostsOf(surroundings)
  const { from: _, createdAt: __, changedAt: ___, credentials: ____, ...rest } = body
  const { databases, credentials } = await sealed(body, was, surroundings, privateHosts)
  const { signed, fresh } = signedQuestions(body.questions, was, surroundings)
  const value = checked(endpointSchema(), {
    ...rest,
    databases,
    ...(signed && { questions: signed }),
  })
  if (JSON.stringify(value).length > MAX_VALUE_CHARS) {
    throw new ApiFault(422, `An endpoint must have at most ${MAX_VALUE_CHARS} characters of JSON.`)
  }
  const now = Date.now()
  const entry = {
    name: value.name,
    active,
    value,
    credentials,
    createdAt: was?.createdAt ?? now,
    changedAt: Math.max(now, (was?.changedAt ?? 0) + 1),
  }
  await assertServes(entry, surroundings, privateHosts)
  await assertAnswered(entry, fresh, surroundings, privateHosts)
  return entry
}

/** The hosts that may be private, by the configuration and by the settings. */
export async function privateHostsOf({ ask, privateHosts }: Surroundings) {
  const settings = await ask('settings', undefined)
  return [...privateHosts, ...(settings?.privateHosts ?? [])]
}

async function sealed(
  { name, databases: sent }: Pick<z.infer<typeof endpointBody>, 'name' | 'databases'>,
  was: EndpointEntry | undefined,
  surroundings: Surroundings,
  privateHosts: readonly string[],
) {
  const databases: [string, object][] = []
  const credentials: [string, Credential][] = []
  for (const [database, it] of Object.entries(sent)) {
    const field = `databases.${database}.url`
    const purpose = { endpoint: name, database }
    if (isConnectionString(it.url)) {
      const made = await sealConnection(it.url, purpose, field, surroundings, privateHosts)
      credentials.push([made.id, made])
      databases.push([database, { ...it, url: `credential:${made.id}` }])
    } else {
      const kept = keptCredential(it.url, purpose, field, was?.credentials)
      if (kept) credentials.push([kept.id, kept])
      databases.push([database, it])
    }
  }
  return {
    databases: Object.fromEntries(databases),
    credentials: Object.fromEntries(credentials),
  }
}

/** The stored credential that a URL refers to. Throws {@link ApiFault} if it was made for something else. */
export function keptCredential(
  url: string,
  { database, endpoint }: { readonly database: string; readonly endpoint: string },
  field: string,
  credentials: Readonly<Record<string, Credential>> = {},
): Credential | undefined {
  // The Worker's own secrets are no URLs.
  if (/^secret:TIDEGATE_/i.test(url)) {
    throw wrongField(
      field,
      'names a secret of Tidegate itself. Name the secret that holds the URL.',
    )
  }
  if (!url.startsWith('credential:')) return undefined
  const id = url.slice('credential:'.length)
  const kept = Object.hasOwn(credentials, id) ? credentials[id] : undefined
  if (kept?.database === database && kept.endpoint === endpoint) return kept
  throw wrongField(field, 'names a credential that is not its own. Send the connection string.')
}

/** Throws {@link ApiFault} with the field because of which the server of an endpoint cannot be built. */
async function assertServes(
  entry: EndpointEntry,
  { check }: Surroundings,
  privateHosts: readonly string[],
): Promise<void> {
  const problemOf = async ({ tools, search, questions, ...rest }: Partial<Endpoint>) => {
    const value = { ...entry.value, ...rest, tools, search, questions }
    try {
      await check({ entry: { ...entry, value }, privateHosts })
      return undefined
    } catch (error) {
      if (error instanceof ConfigError) return error.message
      throw error
    }
  }
  const { value } = entry
  const message = await problemOf(value)
  if (message === undefined) return
  const isQuestions =
    value.questions && (await problemOf({ ...value, questions: undefined })) === undefined
  const isTools = value.tools && (await problemOf({ ...value, tools: undefined })) === undefined
  const { cost, ...caps } = value.caps
  const isCost = cost && (await problemOf({ ...value, caps })) === undefined
  const isSearch = value.search && (await problemOf({ ...value, search: undefined })) === undefined
  const field = isQuestions
    ? 'questions'
    : isTools
      ? 'tools'
      : isSearch
        ? 'search'
        : isCost
          ? `caps.cost.${cost.plan === undefined ? 'rows' : 'plan'}`
          : 'databases'
  throw new ApiFault(422, message, { field })
}
