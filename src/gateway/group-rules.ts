import * as z from 'zod/mini'
import { ConfigError, databaseUrl, type Endpoint, name } from './endpoint.ts'

/** The name of a schema, a table, a column or a role. */
const identifier = () => z.string().check(z.minLength(1), z.maxLength(256))

const MAX_TABLES = 2_000

/** What a group may see of a database. All of it, with nothing but a role or a URL of its own. */
const databaseRules = () =>
  z.strictObject({
    /** A credential of the group's own for this database. */
    url: z.optional(databaseUrl()),
    /** A role of its own in this database. */
    role: z.optional(identifier()),
    /** Schemas whose tables it sees. */
    schemas: z.optional(z.array(identifier()).check(z.maxLength(MAX_TABLES))),
    /** Tables that it sees, `orders` or `sales.orders`: whole, or these columns. */
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
 * What a group may use of an endpoint. A list allows what is in it, and what is left out allows all. A
 * database, a table or a column that is not allowed does not exist for the group.
 */
export const groupRules = () =>
  z.strictObject({
    /** Names of tools. An operator's own tool runs as it is. */
    tools: z.optional(
      z.array(z.string().check(z.minLength(1), z.maxLength(64))).check(z.maxLength(200)),
    ),
    databases: z.optional(
      z.record(name(), databaseRules()).check(
        z.refine((it) => Object.keys(it).length > 0, { error: 'must name at least one database' }),
        z.refine((it) => Object.keys(it).length <= 50, { error: 'must name at most 50 databases' }),
      ),
    ),
    /**
     * Terms that it reads, `true` for all. A term may speak of any table: so a group whose databases are
     * limited reads none unless they are named.
     */
    terms: z.optional(
      z.union([
        z.literal(true),
        z.array(z.string().check(z.minLength(1), z.maxLength(80))).check(z.maxLength(200)),
      ]),
    ),
  })

export type GroupRules = z.infer<ReturnType<typeof groupRules>>

/**
 * The endpoint as it is for a group: with these rules, nothing else of it exists. Throws
 * {@link ConfigError} if they name a tool or a database that it does not have.
 *
 * @param builtIn The tools that an endpoint has if it names none.
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

  const remaining = Object.fromEntries(
    Object.entries(endpoint.databases).flatMap(([name, it]) => {
      const rules = databases && Object.hasOwn(databases, name) ? databases[name] : undefined
      return !databases || rules ? [[name, rules ? ruled(it, rules) : it]] : []
    }),
  )
  const databaseOf = (it: { readonly database?: string | undefined }) =>
    remaining[it.database ?? all[0]!]
  const asked = endpoint.tools ?? (tools && builtIn)
  const search = endpoint.search?.filter(databaseOf)
  // A question tells of tables, so it is for those who see the whole database, or are named it. What a login or
  // a role of the group's own may read is known only once its database has answered.
  const questions = endpoint.questions?.filter((it) => {
    const database = databaseOf(it)
    if (!database || tools?.includes(it.name)) return database !== undefined
    const was = endpoint.databases[it.database ?? all[0]!]!
    const isWhole = !database.only && !isRuledByEngine(database, was)
    return isWhole && (it.as === 'example' || !tools)
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

/** ChatGPT's tools, which an endpoint has by its `search`. */
export const SEARCH_TOOLS = ['search', 'fetch']

type DatabaseRules = NonNullable<GroupRules['databases']>[string]
type Database = Endpoint['databases'][string]

function ruled(database: Database, { url, role, schemas, tables }: DatabaseRules): Database {
  const own = { ...(url !== undefined && { url }), ...(role !== undefined && { role }) }
  const guardian = isRuledByEngine({ ...database, ...own }, database) ? 'engine' : 'nobody'
  return {
    ...database,
    ...own,
    ...((schemas || tables) && { only: { schemas, tables, guardian } }),
  }
}

/** Whether a group reads a database as somebody else than the endpoint does. */
const isRuledByEngine = ({ url, role }: Database, was: Database): boolean =>
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
