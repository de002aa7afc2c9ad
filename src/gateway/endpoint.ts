import * as z from 'zod/mini'
import { hasNoSecret, urlsWithoutSecret, type VisibleTables } from '../database/index.ts'
import { configFaults } from './config-fault.ts'
import { customToolConfig } from './custom-tool-config.ts'
import { boundedGlossaries, glossary, terms } from './glossary.ts'
import { jsonFault } from './json-fault.ts'
import { searchConfig } from './search-config.ts'
import { verifiedQuestions } from './verified-question-config.ts'

/** A name, as it is used in a URL and in the `database` argument of a tool. */
const NAME = /^[a-z][a-z0-9_-]{0,30}$/

/** Whether an endpoint, or a database of one, may be called so. */
export const isName = (text: string): boolean => NAME.test(text)

export const name = () =>
  z.string().check(z.regex(NAME, 'must be lower case and at most 31 characters, such as "shop"'))

const SECRET = /^secret:([A-Za-z_][A-Za-z0-9_]*)$/
const CREDENTIAL = /^credential:([A-Za-z0-9]{1,32})$/

/** The values of the fields that a configuration leaves out. */
const defaults = {
  sql: true,
  format: 'json',
  caps: { rows: 200, bytes: 10_000, cell: 1_000, samples: 0, timeoutMs: 20_000 },
  keep: { rows: 2_000, bytes: 250_000, repeatSeconds: 0 },
  access: 'key',
  records: { literals: false, count: 20_000, days: 30 },
} as const

// A schema takes longer to make than to use, and most deployments configure no endpoint: so these are
// made when they are first needed.

/**
 * `secret:NAME`, the Worker secret that holds the URL; `credential:ID`, which the registry keeps; or a URL
 * without a secret.
 */
export const databaseUrl = () =>
  z.string().check(
    z.maxLength(200),
    z.refine((url) => SECRET.test(url) || CREDENTIAL.test(url) || hasNoSecret(url), {
      error: () =>
        `must be "secret:NAME", naming the Worker secret that holds the URL, or one of ${urlsWithoutSecret.map((it) => `"${it}"`).join(', ')}`,
    }),
  )

const database = () =>
  z.strictObject({
    url: databaseUrl(),
    /** What the model reads about it: "orders and customers of the web shop". */
    purpose: z.optional(z.string().check(z.maxLength(200))),
    /** The database role that queries run as: one that the login of the URL may become. */
    role: z.optional(
      z.string().check(
        z.minLength(1),
        z.maxLength(63),
        z.refine((it) => it.isWellFormed() && !it.includes('\0') && !/^none$/i.test(it), {
          error: 'must be the name of a database role',
        }),
      ),
    ),
    /** Queries carry who asks, for row-level security. */
    claims: z.optional(z.literal(true)),
    /** For how long the columns and keys of a table are kept after they were asked for; 60 if left out. */
    catalogSeconds: z.optional(z.int().check(z.gte(0), z.lte(3_600))),
    /** What a person says of its tables and columns. */
    glossary: z.optional(glossary()),
  })

const MAX_COST = 1_000_000_000_000

/** Bounds on every answer. A model can ask for less, never for more. */
const caps = () =>
  z.strictObject({
    rows: z._default(z.int().check(z.gte(1), z.lte(10_000)), defaults.caps.rows),
    /** Bytes of one answer's rows, as JSON. Hosts cut or divert what is much larger. */
    bytes: z._default(z.int().check(z.gte(1_000), z.lte(80_000)), defaults.caps.bytes),
    /** Characters of one cell. */
    cell: z._default(z.int().check(z.gte(20), z.lte(80_000)), defaults.caps.cell),
    /** How many values of each column describe_table shows, out of the first rows. */
    samples: z._default(z.int().check(z.gte(0), z.lte(10)), defaults.caps.samples),
    /** Hosts give up after about a minute. */
    timeoutMs: z._default(z.int().check(z.gte(100), z.lte(55_000)), defaults.caps.timeoutMs),
    /** What the engine may estimate a query to cost. A dearer one does not run. Unless set, none is estimated. */
    cost: z.optional(
      z
        .strictObject({
          /** In the unit of the engine's planner. */
          plan: z.optional(z.int().check(z.gte(1), z.lte(MAX_COST))),
          rows: z.optional(z.int().check(z.gte(1), z.lte(MAX_COST))),
        })
        .check(
          z.refine((it) => it.plan !== undefined || it.rows !== undefined, {
            error: 'must limit plan, rows or both',
          }),
        ),
    ),
  })

/** What is kept of an answer that is larger than its caps, for half an hour, for its caller alone. */
const keep = () =>
  z.strictObject({
    rows: z._default(z.int().check(z.gte(1), z.lte(10_000)), defaults.keep.rows),
    /** Bytes of the rows, as JSON. */
    bytes: z._default(z.int().check(z.gte(1_000), z.lte(4_000_000)), defaults.keep.bytes),
    /** During this time, the same statement is answered from what was kept, and the answer says so. */
    repeatSeconds: z._default(z.int().check(z.gte(0), z.lte(1_800)), defaults.keep.repeatSeconds),
  })

/** The numbers that `callsPerMinute` may be: the platform fixes them for each of its bindings. */
export const callRates = [10, 30, 60, 120, 300, 600] as const

/** What may be used at once and in a day. Days are of UTC. */
const use = () => ({
  concurrent: z.optional(z.int().check(z.gte(1), z.lte(1_000))),
  rowsPerDay: z.optional(z.int().check(z.gte(1), z.lte(1_000_000_000))),
  /** Bytes of the rows that databases return, as JSON. */
  bytesPerDay: z.optional(z.int().check(z.gte(1_000), z.lte(1_000_000_000_000))),
})

/** What each caller may use, and all of them together. Nothing is limited unless it is set. */
const limits = () =>
  z.strictObject({
    caller: z.optional(
      z.strictObject({
        ...use(),
        callsPerMinute: z.optional(z.literal(callRates)),
      }),
    ),
    endpoint: z.optional(z.strictObject(use())),
  })

/** What is recorded of each call. */
const records = () =>
  z.strictObject({
    /** Whether statements are recorded as they were sent, with the values in them. */
    literals: z._default(z.boolean(), defaults.records.literals),
    count: z._default(z.int().check(z.gte(100), z.lte(100_000)), defaults.records.count),
    days: z._default(z.int().check(z.gte(1), z.lte(400)), defaults.records.days),
  })

/** What one URL serves. */
export const endpointSchema = () =>
  z.strictObject({
    name: name(),
    title: z.string().check(z.minLength(1), z.maxLength(80)),
    databases: z.catchall(z.object({}), database()).check(
      z.refine((it) => Object.keys(it).length > 0, { error: 'must name at least one database' }),
      z.refine((it) => Object.keys(it).every((key) => NAME.test(key)), {
        error: 'must have names in lower case, such as "shop"',
      }),
      z.refine((it) => Object.keys(it).length <= 50, { error: 'must name at most 50 databases' }),
      boundedGlossaries(),
    ),
    /** Words of the people who ask, and what they mean here. */
    terms: z.optional(terms()),
    /** Names of the tools offered, all of them unless listed; and tools of the operator's own. */
    tools: z.optional(
      z
        .array(z.union([z.string().check(z.maxLength(64)), customToolConfig()]))
        .check(z.minLength(1), z.maxLength(100)),
    ),
    /** Tables for ChatGPT's `search` and `fetch`. Without any, there are no such tools. */
    search: z.optional(z.array(searchConfig()).check(z.minLength(1), z.maxLength(10))),
    /** Questions with the statements that answer them, as people have checked. */
    questions: z.optional(verifiedQuestions()),
    /** Whether a model may write SQL. */
    sql: z._default(z.boolean(), defaults.sql),
    /** How the text of an answer is written. The structure beside it stays the same. */
    format: z._default(z.enum(['json', 'markdown', 'csv']), defaults.format),
    caps: z._default(caps(), defaults.caps),
    /** `false` keeps nothing. */
    keep: z._default(z.union([keep(), z.literal(false)]), defaults.keep),
    /** `key`: callers show TIDEGATE_KEY. `public`: anyone who knows the URL may ask. */
    access: z._default(z.enum(['key', 'public']), defaults.access),
    limits: z.optional(limits()),
    /** `false` records nothing. */
    records: z._default(z.union([records(), z.literal(false)]), defaults.records),
  })

const endpoints = () =>
  z.array(endpointSchema()).check(
    z.minLength(1),
    z.maxLength(100),
    z.refine((all) => new Set(all.map((it) => it.name)).size === all.length, {
      error: 'has two endpoints of the same name',
    }),
  )

type Configured = z.infer<ReturnType<typeof endpointSchema>>
type ConfiguredDatabase = Configured['databases'][string]

/** What one URL serves. The rules of a group add what nobody configures. */
export interface Endpoint extends Omit<Configured, 'databases'> {
  databases: Record<string, ConfiguredDatabase & RestrictedDatabase>
}

/** What the rules of a group add to a database. */
interface RestrictedDatabase {
  readonly only?: Restriction | undefined
}

/** The tables and columns that a group may see, and whether the engine itself keeps it to them. */
export interface Restriction extends VisibleTables {
  readonly guardian: 'engine' | 'nobody'
}

export type Caps = Endpoint['caps']
export type Limits = NonNullable<Endpoint['limits']>

/** What a deployment is configured with: variables and secrets of the Worker. */
export interface Settings {
  /** Endpoints as JSON, a list. The first is also served at `/mcp`. */
  readonly ENDPOINTS?: string
  /** The one database of a deployment without ENDPOINTS. */
  readonly DATABASE_URL?: string
}

/** A deployment that cannot serve, and what its operator has to do. Holds no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const demo: Endpoint = {
  ...defaults,
  name: 'demo',
  title: 'Demo store',
  databases: { demo: { url: 'demo:', purpose: 'a small made-up web shop, all times in UTC' } },
  access: 'public',
}

const own: Endpoint = {
  ...defaults,
  name: 'main',
  title: 'Database',
  databases: { main: { url: 'secret:DATABASE_URL' } },
}

/** The endpoints of a deployment, in order: as configured, else the one database, else the demo. */
export function readEndpoints({ ENDPOINTS, DATABASE_URL }: Settings): Endpoint[] {
  if (!ENDPOINTS) return [DATABASE_URL ? own : demo]
  let value: unknown
  try {
    value = JSON.parse(ENDPOINTS)
  } catch {
    throw new ConfigError(`ENDPOINTS is not JSON. ${jsonFault(ENDPOINTS)}`)
  }
  const parsed = endpoints().safeParse(value)
  if (parsed.success) return parsed.data
  throw new ConfigError(`ENDPOINTS is not valid.\n${configFaults(parsed.error, value)}`)
}

/** Whether an endpoint shows nothing but the demo store. */
export const isDemo = ({ databases }: Endpoint): boolean =>
  Object.values(databases).every(({ url }) => url === 'demo:')

/** The id in a URL that names a credential of the registry. */
export const credentialId = (url: string): string | undefined => CREDENTIAL.exec(url)?.[1]

/** The URL of a database, fetched from the secret it names. */
export function resolveUrl(url: string, secrets: Readonly<Record<string, unknown>>): string {
  const secret = SECRET.exec(url)?.[1]
  if (secret === undefined) return url
  const value = secrets[secret]
  if (typeof value === 'string' && value) return value
  throw new ConfigError(
    `The secret ${secret} is not set. In a Worker: npx wrangler secret put ${secret}. On Node: the environment. For npm start: a line ${secret}=… in .dev.vars.`,
  )
}
