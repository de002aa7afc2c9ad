import type { Visit } from '../visit.ts'
import { estimatedTokens } from './fit.ts'

/** A part of a JSON Schema, as far as a form is made of it. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly items?: Schema
}

/** A tool, as a model is told of it. */
export interface ListedTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly annotations?: Readonly<Record<string, boolean>>
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, Schema>>
    readonly required?: readonly string[]
  }
  /** An estimate of what a model pays for it. */
  readonly tokens: number
}

/** The tools of an endpoint, or why there is no list of them. */
export interface Listing {
  readonly tools: readonly ListedTool[]
  readonly problem?: string | undefined
}

/** An endpoint has at most a hundred tools of its own, and some pages of them. */
const MAX_PAGES = 4

/** The tools of an endpoint, as a model has them. */
export async function toolsOf({ mcp }: Visit, endpoint: string): Promise<Listing> {
  const tools: ListedTool[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const { result, error } = await mcp(endpoint, 'tools/list', cursor ? { cursor } : {})
    if (error) return { tools, problem: error.message }
    const listed = (result.tools ?? []) as readonly Omit<ListedTool, 'tokens'>[]
    tools.push(...listed.map((it) => ({ ...it, tokens: estimatedTokens(JSON.stringify(it)) })))
    cursor = result.nextCursor
    if (cursor === undefined) break
  }
  return { tools }
}
