import type { ConsoleVisit } from '../visit.ts'

/** Estimated number of tokens in a string. Models differ, but most come close to this. */
export const estimatedTokens = (text: string): number => Math.ceil(text.length / 4)

/** The parts of a JSON Schema that a form uses. */
export interface ArgumentSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly items?: ArgumentSchema
}

/** A tool as the model sees it. */
export interface ListedTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly annotations?: Readonly<Record<string, boolean>>
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, ArgumentSchema>>
    readonly required?: readonly string[]
  }
  /** Estimated number of tokens that its description costs. */
  readonly tokens: number
}

/** An endpoint's tools, or the reason there is no list. */
export interface Listing {
  readonly tools: readonly ListedTool[]
  readonly problem?: string | undefined
}

/** Maximum number of pages of tools. An endpoint has at most a hundred custom tools. */
const MAX_PAGES = 4

/** Loads an endpoint's tools as a model sees them. */
export async function toolsOf({ mcp }: ConsoleVisit, endpoint: string): Promise<Listing> {
  const tools: ListedTool[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const { result, error } = await mcp(endpoint, 'tools/list', cursor ? { cursor } : {})
    if (error) return { tools, problem: error.message }
    const listed = result as {
      readonly tools?: readonly Omit<ListedTool, 'tokens'>[]
      readonly nextCursor?: string
    }
    tools.push(
      ...(listed.tools ?? []).map((it) => ({ ...it, tokens: estimatedTokens(JSON.stringify(it)) })),
    )
    cursor = listed.nextCursor
    if (cursor === undefined) break
  }
  return { tools }
}
