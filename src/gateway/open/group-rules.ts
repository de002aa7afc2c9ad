import * as z from 'zod/mini'
import { ConfigError, type Endpoint } from '../config/endpoint.ts'
import { databaseUrl, name } from '../config/endpoint-schema.ts'

/** The name of a schema, a table, a column or a role. */
const identifier = () => z.string().check(z.minLength(1), z.maxLength(256))

const MAX_TABLES = 2_000

/** The part of a database that a group can see: all of it, if the rules set nothing but a role or a URL. */
const databaseRules = () =>
  z.strictObject({
    /** The group's own credential for this database. */
    url: z.optional(databaseUrl()),
    /** The group's own role in this database. */
    role: z.optional(identifier()),
    /** Schemas whose tables the group sees. */
    schemas: z.optional(z.array(identifier()).check(z.maxLength(MAX_TABLES))),
    /** Tables that the group sees, such as `orders` or `sales.orders`: all columns, or only these. */
    tables: z.optional(
      z
        .record(
          identifier(),
          z.union([z.literal(true), z.array(identifier()).check(z.maxLength(2_000))]),
        )
        .check(
          z.refine((it) => Object.keys(it).length <= MAX_TABLES, {
            error: `must name at most ${MAX_TABLES} tables`,
          }),
        ),
    ),
  })

/**
 * The part of an endpoint that a group can use. A list allows its items, and a missing list allows everything.
 * A database, table or column that is not allowed does not exist for the group.
 */
export const groupRules = () =>
  z.strictObject({
    /** Names of tools. An operator's own tool runs unchanged. */
    tools: z.optional(
      z.array(z.string().check(z.minLength(1), z.maxLength(64))).check(z.maxLength(200)),
    ),
    databases: z.optional(
      z.record(name(), databaseRules()).check(
        z.refine((it) => Object.keys(it).length > 0, { error: 'must name at least one database' }),
        z.refine((it) => Object.keys(it).length <= 50, { error: 'must name at most 50 databases' }),
      ),
    ),
    /** Terms to show; `true` for all. A term can mention any table, so a group with limited databases lists them. */
    terms: z.optional(
      z.union([
        z.literal(true),
        z.array(z.string().check(z.minLength(1), z.maxLength(80))).check(z.maxLength(200)),
      ]),
    ),
  })

export type GroupRules = z.infer<ReturnType<typeof groupRules>>

/**
 * The endpoint as a group sees it: anything the rules do not allow does not exist. Throws
 * {@link ConfigError} if they name a tool or a database that the endpoint does not have.
 *
 * @param builtIn The tools that an endpoint has if it does not list any.
 */
export function restrict(
  endpoint: Endpoint,
  { tools, databases, terms = databases ? [] : true }: GroupRules,
  builtIn: readonly string[],
): Endpoint {
  const all = Object.keys(endpoint.databases)
  const existing = [
    ...(endpoint.tools ?? builtIn).map((it) => (typeof it === 'string' ? it : it.name)),
    ...(endpoint.search ? SEARCH_TOOLS : []),
    ...(endpoint.questions ?? []).map((it) => it.name),
  ]
  assertKnown('tool', tools, existing, endpoint)
  assertKnown('database', databases && Object.keys(databases), all, endpoint)

  // If a group cannot list tables, errors do not suggest any.
  const hidesTables = !(tools ?? existing).includes('list_tables')
  const losesList = hidesTables && existing.includes('list_tables')
  const remaining = Object.fromEntries(
    Object.entries(endpoint.databases).flatMap(([name, it]) => {
      const rules = databases && Object.hasOwn(databases, name) ? databases[name] : undefined
      const own = rules ? ruled(it, rules) : it
      return !databases || rules ? [[name, hidesTables ? { ...own, hidesTables } : own]] : []
    }),
  )
  const databaseOf = (it: { readonly database?: string | undefined }) =>
    remaining[it.database ?? all[0]!]
  const asked = endpoint.tools ?? (tools && builtIn)
  const search = endpoint.search?.filter(databaseOf)
  // A question reveals tables, so it is for groups that see the whole database or list the question by name. The
  // rights of a group's own login or role are known only after its database has answered.
  const questions = endpoint.questions?.filter((it) => {
    const database = databaseOf(it)
    if (!database || tools?.includes(it.name)) return database !== undefined
    const was = endpoint.databases[it.database ?? all[0]!]!
    const isWhole = !database.only && !isRuledByEngine(database, was)
    // An example reveals its tables in the description of query.
    return isWhole && (it.as === 'example' ? !losesList : !tools)
  })
  const { search: _, questions: __, terms: said = {}, ...rest } = endpoint
  const words = Object.entries(said).filter(([it]) => terms === true || terms.includes(it))
  return {
    ...rest,
    databases: remaining,
    ...(words.length > 0 && { terms: Object.fromEntries(words) }),
    ...(asked && {
      tools: asked.filter((it) => {
        if (typeof it === 'string') return !tools || tools.includes(it)
        const database = databaseOf(it)
        return database && (tools ? tools.includes(it.name) : !database.only)
      }),
    }),
    ...(questions?.length && { questions }),
    ...(search?.length && SEARCH_TOOLS.some((it) => !tools || tools.includes(it)) && { search }),
  }
}

/** ChatGPT's tools, which an endpoint has if `search` is set. */
export const SEARCH_TOOLS = ['search', 'fetch']

type DatabaseGroupRules = NonNullable<GroupRules['databases']>[string]
type RuledDatabase = Endpoint['databases'][string]

function ruled(
  database: RuledDatabase,
  { url, role, schemas, tables }: DatabaseGroupRules,
): RuledDatabase {
  const own = { ...(url !== undefined && { url }), ...(role !== undefined && { role }) }
  return {
    ...database,
    ...own,
    // They apply to every statement, even with the group's own role, which can have more rights.
    ...((schemas || tables) && { only: { schemas, tables } }),
  }
}

/** True if a group reads a database with a different login or role than the endpoint. */
const isRuledByEngine = ({ url, role }: RuledDatabase, was: RuledDatabase): boolean =>
  url !== was.url || role !== was.role

function assertKnown(
  what: string,
  named: readonly string[] | undefined,
  existing: readonly string[],
  endpoint: Endpoint,
): void {
  const unknown = named?.find((it) => !existing.includes(it))
  if (unknown === undefined) return
  throw new ConfigError(
    `The rules of a group name the ${what} ${JSON.stringify(unknown)}, which the endpoint ${endpoint.name} does not have. There are: ${existing.join(', ')}.`,
  )
}
