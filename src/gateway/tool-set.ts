import { assertReads, DatabaseError } from '../database/index.ts'
import { type Tool, ToolError } from '../mcp/index.ts'
import { customTool } from './custom-tool.ts'
import type { CustomToolConfig } from './custom-tool-config.ts'
import type { DatabaseTool } from './database-tool.ts'
import { ConfigError, type Endpoint } from './endpoint.ts'
import { SEARCH_TOOLS } from './group-rules.ts'
import type { KeptResults } from './kept-results.ts'
import { type CredentialIo, type EndpointDatabase, locateAll } from './open-database.ts'
import { questionTool, served, unlooked, withExamples } from './verified-question.ts'

/**
 * The tools of an endpoint: those it names, in the order clients see them, and its own after them.
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
  // The rules of a group that name a tool must not name an example as well, whose statement it then reads.
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

  /** A tool whose statement the operator wrote. */
  function operatorTool(what: string, it: OperatorStatement, made: DatabaseTool): Tool {
    const [name, database] = databaseOf(it, [...databases]) ?? []
    if (!name || !database) {
      throw wrong(`has a ${what} ${it.name} ${withoutDatabase(it, databases)}`)
    }
    return made.of(endpoint, new Map([[name, database.forOperator ?? database]]), results)
  }
}

/** A statement that an operator wrote, and the database that it asks, if it says which. */
type OperatorStatement = Pick<CustomToolConfig, 'name' | 'database'>

/**
 * Makes sure that each tool of an endpoint's own is a statement that its database lets run. It reads
 * the engine, and asks the database nothing. Throws {@link ConfigError}.
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
      // A database that cannot be opened tells the callers of its tools.
      if (error.kind === 'config') continue
      throw new ConfigError(
        `Endpoint ${endpoint.name} has a tool ${it.name} that cannot run: ${error.message}`,
      )
    }
  }
}

/** What is wrong with a tool, or a table to search, that has no database of its endpoint. */
export function withoutDatabase(
  { database }: { readonly database?: string | undefined },
  databases: ReadonlyMap<string, unknown>,
): string {
  const what = database === undefined ? 'says no database' : 'names an unknown database'
  return `that ${what}. There are: ${[...databases.keys()].join(', ')}.`
}

/** The name and the database that a tool asks: the one that it names, or the only one. */
export function databaseOf<T>(
  { database }: Pick<CustomToolConfig, 'database'>,
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
