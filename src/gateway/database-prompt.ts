import type { Database } from '../database/index.ts'
import { codes, type Prompt, type PromptArgument, RpcError } from '../mcp/index.ts'
import type { Caps } from './endpoint.ts'
import { completeTable } from './schema-resource.ts'

/** A prompt before it is given an endpoint's databases. */
export interface DatabasePrompt {
  readonly name: string
  readonly title: string
  /** `{table}` is an argument, filled in as it was given; a name in backticks is that of a tool. */
  readonly text: string
}

/**
 * Makes a prompt of an endpoint; undefined where it names a tool that the endpoint does not offer. It
 * gets an argument `database` where there are several, and `table` is completed from the catalog.
 */
export function promptOf(
  { name, title, text }: DatabasePrompt,
  offered: readonly string[],
  databases: ReadonlyMap<string, Database>,
  caps: Caps,
): Prompt | undefined {
  if (!words(/`(\w+)`/g, text).every((it) => offered.includes(it))) return undefined
  const names = [...databases.keys()]
  const several = names.length > 1
  const whole = several ? `In the database {database}: ${text}` : text
  const complete: Record<string, PromptArgument['complete']> = {
    database: (value) => names.filter((it) => it.startsWith(value)),
    table(value, others, { signal }) {
      const chosen = several ? (others.database ?? '') : names[0]!
      const database = databases.get(chosen)
      return database ? completeTable(chosen, database, value, caps, signal) : []
    },
  }
  return {
    name,
    title,
    // Some menus show the one, and some the other.
    description: title,
    arguments: words(PLACE, whole).map((it) => ({
      name: it,
      required: true,
      ...(complete[it] && { complete: complete[it] }),
    })),
    get(args) {
      if (several && !databases.has(args.database!)) {
        const message = `There is no such database. There are: ${names.join(', ')}.`
        throw new RpcError(codes.invalidParams, message)
      }
      return whole.replace(PLACE, (_, it) => args[it]!)
    },
  }
}

const PLACE = /\{(\w+)\}/g

const words = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map((it) => it[1]!)
