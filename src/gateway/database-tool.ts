import * as z from 'zod/mini'
import { type Database, DatabaseError, type Limits } from '../database/index.ts'
import { type Context, type Tool, type ToolAnnotations, ToolError, tool } from '../mcp/index.ts'
import type { Caps, Endpoint } from './endpoint.ts'

/** What a database tool receives besides the request: its database, and the bounds it keeps. */
export interface DatabaseContext extends Context {
  readonly database: Database
  readonly caps: Caps
  /** Bounds of one query under these caps. */
  readonly limits: Limits
}

/** A tool before it is given an endpoint's databases. */
export interface DatabaseTool {
  readonly name: string
  /** Makes the tool, given how to open each of the endpoint's databases. */
  of(endpoint: Endpoint, databases: ReadonlyMap<string, Database>): Tool
}

/** Every tool here only reads, and reads nothing but the endpoint's own databases. */
const annotations: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/**
 * The most one query may bring into the Worker, in bytes for each byte that an answer may have: what
 * is held is bounded, and long cells are still there to be cut.
 */
const HELD = 200

/**
 * Defines a tool over the databases of an endpoint. It gets an argument `database` where there are
 * several, and its database's errors become words for the model.
 */
export function databaseTool<Input extends z.ZodMiniObject>(definition: {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: z.ZodMiniObject
  run(input: z.infer<Input>, context: DatabaseContext): Promise<object>
}): DatabaseTool {
  const { name, title, description, input, output } = definition
  return {
    name,
    of({ caps }, databases) {
      const names = [...databases.keys()]
      const only = names.length === 1 ? databases.get(names[0]!) : undefined
      return tool({
        name,
        title,
        description,
        input: only ? input : z.extend(input, { database: z.enum(names) }),
        output,
        annotations,
        async run(given, context) {
          const { database: chosen, ...rest } = given as { database?: string }
          const limits: Limits = {
            maxRows: caps.rows,
            maxBytes: caps.bytes * HELD,
            timeoutMs: caps.timeoutMs,
            signal: context.signal,
          }
          const database = only ?? databases.get(chosen!)!
          try {
            return await definition.run(rest as z.infer<Input>, {
              ...context,
              database,
              caps,
              limits,
            })
          } catch (error) {
            if (error instanceof DatabaseError) throw new ToolError(explain(error))
            throw error
          }
        },
      })
    },
  }
}

/** A database's refusal in the model's words: what is wrong, where, and what to do about it. */
function explain({ message, code, hint, position }: DatabaseError): string {
  const where = position === undefined ? '' : `, at character ${position}`
  const lines = [
    code ? `${message} (${code}${where})` : `${message}${where}`,
    hint && `Hint: ${hint}`,
  ]
  return lines.filter(Boolean).join('\n').slice(0, 1_000)
}
