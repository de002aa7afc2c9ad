import { columnsOf, DatabaseError, listTables } from '../../database/index.ts'
import type { OperatorStatement } from '../config/custom-tool-config.ts'
import { ConfigError, type Endpoint } from '../config/endpoint.ts'
import type { CredentialIo, EndpointDatabase } from './endpoint-database.ts'
import { type GroupRules, restrict } from './group-rules.ts'
import { locateAll } from './pipeline.ts'

/** Maximum number of tables whose columns are compared with the rules. */
const MAX_TABLES = 2_000

const LIMITS = { timeoutMs: 10_000 }

/**
 * Reports on a group's rules for the operator: the tools that the group does not have, with the reason, and the tables
 * and columns in the rules that do not exist. Contains no secret. Throws {@link ConfigError}.
 */
export async function reportGroup(
  endpoint: Endpoint,
  rules: GroupRules,
  io: CredentialIo,
  builtIn: readonly string[],
): Promise<readonly string[]> {
  const allowed = restrict(endpoint, rules, builtIn)
  const databases = locateAll(allowed, io)
  const all = [...databases]
  const missing = await Promise.all(all.map(([name, it]) => missingNames(name, it, allowed)))
  return [
    ...Object.keys(endpoint.databases)
      .filter((name) => !databases.has(name))
      .map((name) => `The database ${name} does not exist for this group.`),
    ...toolsOff(endpoint, allowed, rules, builtIn),
    ...(endpoint.sql ? all.flatMap(([name, it]) => sqlOff(name, it, allowed)) : []),
    ...termsOff(endpoint, allowed, rules),
    ...missing.flat(),
  ]
}

/** Explains which of the endpoint's tools the group does not have. */
function toolsOff(
  endpoint: Endpoint,
  allowed: Endpoint,
  { tools }: GroupRules,
  builtIn: readonly string[],
): string[] {
  const withQuestions = ({ tools, questions = [] }: Endpoint) => [
    ...(tools ?? builtIn),
    ...questions,
  ]
  const all: readonly (string | OperatorStatement)[] = withQuestions(endpoint)
  const left = new Set(withQuestions(allowed).map(nameOf))
  return all
    .filter((it) => !left.has(nameOf(it)))
    .map((it) => {
      const name = nameOf(it)
      if (tools && !tools.includes(name)) {
        return `${name} is off: it is not among the tools of this group.`
      }
      const database = typeof it === 'string' ? undefined : it.database
      return database !== undefined && !Object.hasOwn(allowed.databases, database)
        ? `${name} is off: its database ${database} does not exist for this group.`
        : `${name} is off: its statement could read tables that this group cannot see. To allow it as it is, add it to the tools of this group.`
    })
}

/** Explains why the group does not get all of the endpoint's terms. */
function termsOff({ terms = {} }: Endpoint, allowed: Endpoint, rules: GroupRules): string[] {
  const off = Object.keys(terms).length - Object.keys(allowed.terms ?? {}).length
  if (off === 0) return []
  const what = `${off} of ${Object.keys(terms).length} terms are left out:`
  return [
    rules.terms === undefined
      ? `${what} they could mention tables that this group cannot see. List them in terms, or allow all with "terms": true.`
      : `${what} they are not among the terms of this group.`,
  ]
}

const nameOf = (it: string | { readonly name: string }) => (typeof it === 'string' ? it : it.name)

/** Explains why the group cannot write SQL for a database, or only for some of the tables it sees. */
function sqlOff(name: string, { title, takesSql }: EndpointDatabase, allowed: Endpoint): string[] {
  const { only } = allowed.databases[name]!
  if (!only) return []
  if (takesSql === false) {
    return [
      `query and explain_query are off for ${name}: ${title} does not report which tables a statement reads before it runs. To allow SQL, leave out schemas and tables, and give the group a credential or a role that can read only what the group should see.`,
    ]
  }
  const partial = Object.entries(only.tables ?? {}).filter(([, columns]) => columns !== true)
  const tables = partial.map(([table]) => table).slice(0, 20)
  return [
    `query and explain_query run for ${name} only if ${title} reports that a statement reads only tables that this group sees in full.${tables.length > 0 ? ` Only query_table reads ${tables.join(', ')}.` : ''}`,
  ]
}

/** The tables and columns in the rules that a database does not have. */
async function missingNames(
  name: string,
  located: EndpointDatabase,
  { databases }: Endpoint,
): Promise<string[]> {
  const rules = Object.entries(databases[name]?.only?.tables ?? {}).slice(0, MAX_TABLES)
  if (rules.length === 0) return []
  try {
    const database = await located.open()
    const { tables } = await listTables(database, { limit: MAX_TABLES, limits: LIMITS })
    const columns = await columnsOf(database, tables, LIMITS)
    const known = new Map(
      tables.flatMap(({ schema, name }, i) => {
        const found = new Set(columns[i]!.map(([column]) => String(column)))
        const short = schema === database.dialect.schema && !name.includes('.') ? [name] : []
        return [...short, `${schema}.${name}`].map((key) => [key, found] as const)
      }),
    )
    return rules.flatMap(([table, only]) => {
      const found = known.get(table)
      if (!found)
        return [`${name} has no table ${JSON.stringify(table)}, or none of these columns.`]
      const missing = only === true ? [] : only.filter((column) => !found.has(column))
      return missing.map((it) => `${name} has no column ${JSON.stringify(`${table}.${it}`)}.`)
    })
  } catch (error) {
    if (!(error instanceof DatabaseError) && !(error instanceof ConfigError)) throw error
    return [`The names in the rules for ${name} could not be compared: ${error.message}`]
  }
}
