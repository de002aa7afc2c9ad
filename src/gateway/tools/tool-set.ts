import { assertReads, DatabaseError } from '../../database/index.ts'
import { type Tool, ToolError } from '../../mcp/index.ts'
import type { KeptResults } from '../answer/kept-results.ts'
import type { OperatorStatement } from '../config/custom-tool-config.ts'
import { ConfigError, type Endpoint } from '../config/endpoint.ts'
import type { CredentialIo, EndpointDatabase } from '../open/endpoint-database.ts'
import { SEARCH_TOOLS } from '../open/group-rules.ts'
import { locateAll } from '../open/pipeline.ts'
import { customTool } from './custom-tool.ts'
import type { DatabaseTool } from './database-tool.ts'
import { questionTool, served, unlooked, withExamples } from './verified-question.ts'

/**
 * The tools of an endpoint: the built-in ones it lists, in the order clients see them, then its own.
 * Throws {@link ConfigError}.
 */
export function toolsOf(
  tools: readonly DatabaseTool[],
  endpoint: Endpoint,
  databases: ReadonlyMap<string, EndpointDatabase>,
  results: KeptResults | undefined,
  states = unlooked,
): readonly Tool[] {
  const asked = endpoint.tools ?? tools.map(({ name }) => name)
  const customTools = asked.filter((it) => typeof it !== 'string')
  const { questions = [] } = endpoint
  const wrong = (what: string) => new ConfigError(`Endpoint ${endpoint.name} ${what}`)
  for (const name of asked) {
    if (typeof name !== 'string' || tools.some((it) => it.name === name)) continue
    const names = tools.map((it) => it.name).join(', ')
    throw wrong(`names a tool ${JSON.stringify(name)}. There are: ${names}.`)
  }
  // Names are unique across tools and examples: a group's rule for a tool must not also reveal an example's statement.
  const names = [...tools, ...customTools, ...questions].map(({ name }) => name)
  if (questions.length > 0 && endpoint.search) names.push(...SEARCH_TOOLS)
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice !== undefined) throw wrong(`has two tools called ${twice}.`)
  const offered = tools.filter(({ name }) => asked.includes(name))
  return [
    ...offered.map((it) => {
      const made = it.of(endpoint, databases, results)
      if (it.takesSql && !endpoint.sql) return withoutSql(made)
      return it.name === 'query' ? withExamples(made, questions, states) : made
    }),
    ...customTools.map((it) => operatorTool('tool', it, customTool(it))),
    ...questions.flatMap((it) => {
      const made = operatorTool('question', it, questionTool(it))
      return it.as === 'tool' ? [served(made, states)] : []
    }),
  ]

  function operatorTool(what: string, it: OperatorStatement, made: DatabaseTool): Tool {
    const [name, database] = databaseOf(it, [...databases]) ?? []
    if (!name || !database) {
      throw wrong(`has a ${what} ${it.name} ${withoutDatabase(it, databases)}`)
    }
    return made.of(endpoint, new Map([[name, database]]), results)
  }
}

/**
 * Makes sure that the guard allows the statement of each of the endpoint's own tools. It needs only the
 * engine, and sends nothing to the database. Throws {@link ConfigError}.
 */
export async function assertCustomTools(endpoint: Endpoint, io: CredentialIo): Promise<void> {
  const customTools = (endpoint.tools ?? []).filter((it) => typeof it !== 'string')
  const databases = customTools.length > 0 ? [...locateAll(endpoint, io)] : []
  for (const it of customTools) {
    const [, found] = databaseOf(it, databases) ?? []
    if (!found) continue
    try {
      const statement = { sql: it.sql, params: it.params.map(() => null) }
      await assertReads(await found.open(), statement)
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error
      // If the database cannot be opened, the callers of its tools get that error.
      if (error.kind === 'config') continue
      throw new ConfigError(
        `Endpoint ${endpoint.name} has a tool ${it.name} that cannot run: ${error.message}`,
      )
    }
  }
}

/** The error for a tool or a searchable table that names no database of its endpoint. */
export function withoutDatabase(
  { database }: Pick<OperatorStatement, 'database'>,
  databases: ReadonlyMap<string, unknown>,
): string {
  const what = database === undefined ? 'names no database' : 'names an unknown database'
  return `that ${what}. There are: ${[...databases.keys()].join(', ')}.`
}

/** The database of a tool, and its name: the one that the tool names, or the only one. */
export function databaseOf<T>(
  { database }: Pick<OperatorStatement, 'database'>,
  all: readonly (readonly [string, T])[],
) {
  return database === undefined && all.length === 1
    ? all[0]
    : all.find(([name]) => name === database)
}

const withoutSql = (it: Tool): Tool => ({
  ...it,
  unlisted: true,
  run() {
    throw new ToolError('This endpoint has no free SQL: use query_table.')
  },
})
