import * as z from 'zod/mini'
import { hasNoSecret, urlsWithoutSecret } from '../../database/index.ts'
import { customToolConfig } from './custom-tool-config.ts'
import { boundedGlossaries, glossary, terms } from './glossary.ts'
import { searchConfig } from './search-config.ts'
import { verifiedQuestions } from './verified-question-config.ts'

/** A name as used in a URL and in the `database` argument of a tool. */
const NAME = /^[a-z][a-z0-9_-]{0,30}$/

/** True if this is a valid name for an endpoint or a database. */
export const isName = (text: string): boolean => NAME.test(text)

/** The schema of the name of an endpoint or a database. */
export const name = () =>
  z.string().check(z.regex(NAME, 'must be lower case and at most 31 characters, such as "shop"'))

const SECRET = /^secret:([A-Za-z_][A-Za-z0-9_]*)$/
const CREDENTIAL = /^credential:([A-Za-z0-9]{1,32})$/

/** The id in a URL that refers to a credential in the registry. */
export const credentialId = (url: string): string | undefined => CREDENTIAL.exec(url)?.[1]

/** The name of the secret in a URL that refers to one. */
export const secretIn = (url: string): string | undefined => SECRET.exec(url)?.[1]

/** Default values of the optional fields. */
export const defaults = {
  sql: true,
  format: 'json',
  caps: { rows: 200, bytes: 10_000, cell: 1_000, samples: 0, timeoutMs: 20_000 },
  keep: { rows: 2_000, bytes: 250_000, repeatSeconds: 0 },
  access: 'key',
  records: { literals: false, count: 20_000, days: 30 },
} as const

// A schema takes longer to build than to use, and most deployments configure no endpoint. So the following schemas are
// built when they are first needed.

/** `secret:NAME`, a Worker secret with the URL; `credential:ID` in the registry; or a URL without a secret. */
export const databaseUrl = () =>
  z.string().check(
    z.maxLength(200),
    z.refine((url) => Boolean(secretIn(url) ?? credentialId(url)) || hasNoSecret(url), {
      error: () =>
        `must be "secret:NAME", naming the Worker secret that holds the URL, or one of ${urlsWithoutSecret.map((it) => `"${it}"`).join(', ')}`,
    }),
  )

const database = () =>
  z.strictObject({
    url: databaseUrl(),
    /** A description for the model: "orders and customers of the web shop". */
    purpose: z.optional(z.string().check(z.maxLength(200))),
    /** The database role that queries run as. The URL's login must be allowed to switch to it. */
    role: z.optional(
      z.string().check(
        z.minLength(1),
        z.maxLength(63),
        z.refine((it) => it.isWellFormed() && !it.includes('\0') && !/^none$/i.test(it), {
          error: 'must be the name of a database role',
        }),
      ),
    ),
    /** True if queries carry the caller's claims, for row-level security. */
    claims: z.optional(z.literal(true)),
    /** Number of seconds to cache a table's columns and keys; 60 by default. */
    catalogSeconds: z.optional(z.int().check(z.gte(0), z.lte(3_600))),
    /** Descriptions of its tables and columns, written by a person. */
    glossary: z.optional(glossary()),
  })

const MAX_COST = 1_000_000_000_000

/** Limits on every answer. A model can request less, but never more. */
const caps = () =>
  z.strictObject({
    rows: z._default(z.int().check(z.gte(1), z.lte(10_000)), defaults.caps.rows),
    /** Maximum size of the rows in one answer as JSON, in bytes. Hosts cut or divert much larger answers. */
    bytes: z._default(z.int().check(z.gte(1_000), z.lte(80_000)), defaults.caps.bytes),
    /** Maximum number of characters in one cell. */
    cell: z._default(z.int().check(z.gte(20), z.lte(80_000)), defaults.caps.cell),
    /** The number of values that describe_table shows for each column, taken from the first rows. */
    samples: z._default(z.int().check(z.gte(0), z.lte(10)), defaults.caps.samples),
    /** Time limit for one query. Hosts give up after about a minute. */
    timeoutMs: z._default(z.int().check(z.gte(100), z.lte(55_000)), defaults.caps.timeoutMs),
    /** The highest cost estimate at which a query runs. If not set, no cost is estimated. */
    cost: z.optional(
      z
        .strictObject({
          /** In the unit that the engine's planner uses. */
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

/**
 * Limits on the stored copy of an answer that exceeds its caps. It is stored for half an hour, for its caller alone.
 */
const keep = () =>
  z.strictObject({
    rows: z._default(z.int().check(z.gte(1), z.lte(10_000)), defaults.keep.rows),
    /** Maximum size of the rows as JSON, in bytes. */
    bytes: z._default(z.int().check(z.gte(1_000), z.lte(4_000_000)), defaults.keep.bytes),
    /** During this time, the same statement is answered from the stored result, and the answer says so. */
    repeatSeconds: z._default(z.int().check(z.gte(0), z.lte(1_800)), defaults.keep.repeatSeconds),
  })

/** The allowed values of `callsPerMinute`. The platform fixes one value for each rate limit binding. */
export const callRates = [10, 30, 60, 120, 300, 600] as const

/** Limits on concurrent and daily use. Days are in UTC. */
const use = () => ({
  concurrent: z.optional(z.int().check(z.gte(1), z.lte(1_000))),
  rowsPerDay: z.optional(z.int().check(z.gte(1), z.lte(1_000_000_000))),
  /** Maximum size of the rows that databases return, as JSON, in bytes. */
  bytesPerDay: z.optional(z.int().check(z.gte(1_000), z.lte(1_000_000_000_000))),
})

/** Limits for each caller, and for all callers together. Without a value, there is no limit. */
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

/** The settings for call records. */
const records = () =>
  z.strictObject({
    /** True to record statements as they were sent, with the values in them. */
    literals: z._default(z.boolean(), defaults.records.literals),
    count: z._default(z.int().check(z.gte(100), z.lte(100_000)), defaults.records.count),
    days: z._default(z.int().check(z.gte(1), z.lte(400)), defaults.records.days),
  })

/** The configuration of an endpoint, which is served at one URL. */
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
    /** The vocabulary of the endpoint's users, with the meaning of each word. */
    terms: z.optional(terms()),
    /** Names of the tools to offer (all of them by default), and the operator's own tools. */
    tools: z.optional(
      z
        .array(z.union([z.string().check(z.maxLength(64)), customToolConfig()]))
        .check(z.minLength(1), z.maxLength(100)),
    ),
    /** Tables for ChatGPT's `search` and `fetch`. Without any, the endpoint does not have these tools. */
    search: z.optional(z.array(searchConfig()).check(z.minLength(1), z.maxLength(10))),
    /** Questions with the statements that answer them, checked by people. */
    questions: z.optional(verifiedQuestions()),
    /** True if a model is allowed to write SQL. */
    sql: z._default(z.boolean(), defaults.sql),
    /** The format of an answer's text. The structured content stays the same. */
    format: z._default(z.enum(['json', 'markdown', 'csv']), defaults.format),
    caps: z._default(caps(), defaults.caps),
    /** `false` stores nothing. */
    keep: z._default(z.union([keep(), z.literal(false)]), defaults.keep),
    /** `key`: with a key or sign-in. `groups`: also requires a group. `public`: for anyone who knows the URL. */
    access: z._default(z.enum(['key', 'groups', 'public']), defaults.access),
    limits: z.optional(limits()),
    /** `false` records nothing. */
    records: z._default(z.union([records(), z.literal(false)]), defaults.records),
  })

/** The endpoints of a deployment. */
export const endpoints = () =>
  z.array(endpointSchema()).check(
    z.minLength(1),
    z.maxLength(100),
    z.refine((all) => new Set(all.map((it) => it.name)).size === all.length, {
      error: 'has two endpoints with the same name',
    }),
  )
