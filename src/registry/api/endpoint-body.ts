import * as z from 'zod/mini'
import {
  boundedQuestions,
  ConfigError,
  type Endpoint,
  endpointSchema,
  questionFields,
  questionSignature,
} from '../../gateway/index.ts'
import type { Credential, EndpointEntry } from '../state/entries.ts'
import { MAX_URL_CHARS, storedUrl } from './connection.ts'
import { ApiFault, checked } from './fault.ts'
import { changeTime, moment, named, upTo, written } from './lists.ts'
import { privateHostsOf } from './served.ts'
import { assertAnswered, signedQuestions } from './signed-questions.ts'
import type { ApiContext, CandidateEndpoint } from './surroundings.ts'

/** Maximum number of characters in an endpoint's JSON. */
const MAX_VALUE_CHARS = 256 * 1024

/** The visible part of a credential. The connection string is never shown again. */
export const shownCredential = named(
  'Credential',
  z.object({ scheme: z.string(), host: z.string(), setAt: moment }),
)

/** An endpoint in a request. A database's `url` can be a connection string. */
export const endpointBody = named(
  'NewEndpoint',
  z.extend(endpointSchema(), {
    databases: z.catchall(
      z.object({}),
      z.looseObject({ url: upTo(MAX_URL_CHARS), purpose: z.optional(upTo(200)) }),
    ),
    // The question's reviewer and the time are set when it is stored.
    questions: z.optional(
      boundedQuestions(
        z.strictObject({ ...questionFields(), ...z.partial(z.object(questionSignature())).shape }),
      ),
    ),
    active: z.optional(z.boolean()),
    // Read-only fields are accepted, so that a response can be sent back.
    from: z.optional(z.enum(['registry', 'configuration'])),
    createdAt: z.optional(upTo(40)),
    changedAt: z.optional(upTo(40)),
    credentials: z.optional(z.record(z.string(), z.unknown())),
  }),
)

/** An endpoint in a response. */
export const shownEndpoint = named(
  'Endpoint',
  z.extend(endpointSchema(), {
    active: z.boolean(),
    from: z.enum(['registry', 'configuration']),
    createdAt: z.optional(moment),
    changedAt: z.optional(moment),
    /** Stored connection strings, by database name. */
    credentials: z.optional(z.record(z.string(), shownCredential)),
  }),
)

/** An endpoint from the registry, for a response. It can be sent back unchanged. */
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
 * Makes an entry from a request. Seals its connection strings, and checks that its server can be
 * built. Throws {@link ApiFault}.
 *
 * @param was the entry that it replaces
 */
export async function entryOf(
  sent: unknown,
  was: EndpointEntry | undefined,
  surroundings: ApiContext,
): Promise<EndpointEntry> {
  const { active = was?.active ?? true, ...body } = checked(endpointBody, sent)
  const { from: _, createdAt: __, changedAt: ___, credentials: ____, ...rest } = body
  const credentials: [string, Credential][] = []
  const databases: [string, object][] = []
  for (const [database, it] of Object.entries(body.databases)) {
    const field = `databases.${database}.url`
    const purpose = { endpoint: body.name, database }
    const about = [purpose, field, surroundings, was?.credentials, credentials] as const
    databases.push([database, { ...it, url: await storedUrl(it.url, ...about) }])
  }
  const { signed, fresh } = signedQuestions(body.questions, was, surroundings)
  const value = checked(endpointSchema(), {
    ...rest,
    databases: Object.fromEntries(databases),
    ...(signed && { questions: signed }),
  })
  if (JSON.stringify(value).length > MAX_VALUE_CHARS) {
    throw new ApiFault(422, `An endpoint must have at most ${MAX_VALUE_CHARS} characters of JSON.`)
  }
  const entry = {
    name: value.name,
    active,
    value,
    credentials: Object.fromEntries(credentials),
    createdAt: was?.createdAt ?? Date.now(),
    restoredAt: was?.restoredAt,
    changedAt: changeTime(was),
  }
  const candidate = { entry, privateHosts: await privateHostsOf(surroundings) }
  await assertServes(candidate, surroundings)
  await assertAnswered(candidate, fresh, surroundings)
  return entry
}

/** Throws {@link ApiFault} with the field that prevents an endpoint's server from being built. */
async function assertServes(
  { entry, ...rest }: CandidateEndpoint,
  { check }: ApiContext,
): Promise<void> {
  const problemWith = async (less: Partial<Endpoint>) => {
    try {
      await check({ entry: { ...entry, value: { ...entry.value, ...less } }, ...rest })
      return undefined
    } catch (error) {
      if (error instanceof ConfigError) return error.message
      throw error
    }
  }
  const message = await problemWith({})
  if (message === undefined) return
  const { cost, ...caps } = entry.value.caps
  const parts = {
    questions: { questions: undefined },
    tools: { tools: undefined },
    search: { search: undefined },
    [`caps.cost.${cost?.plan === undefined ? 'rows' : 'plan'}`]: { caps },
  }
  for (const [field, less] of Object.entries(parts)) {
    if ((await problemWith(less)) === undefined) throw new ApiFault(422, message, { field })
  }
  throw new ApiFault(422, message, { field: 'databases' })
}
