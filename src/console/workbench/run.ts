import type { ConsoleVisit } from '../visit.ts'
import { estimatedTokens } from './tools.ts'

/** A run of a tool and its answer. */
export interface ToolRun {
  readonly tool: string
  readonly given: Readonly<Record<string, unknown>>
  /** Text for the model. */
  readonly text: string
  readonly structure: Readonly<Record<string, unknown>> | undefined
  /** The whole answer as JSON. */
  readonly json: string
  /** True if the tool or the endpoint returned an error. */
  readonly isError: boolean
  readonly milliseconds: number
  readonly tokens: number
  readonly bytes: number
}

interface ShownToolResult {
  readonly content?: readonly { readonly text?: string }[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: boolean
}

/** Calls a tool the way an app does. */
export async function run(
  { mcp }: ConsoleVisit,
  endpoint: string,
  tool: string,
  given: Readonly<Record<string, unknown>>,
): Promise<ToolRun> {
  const startedAt = Date.now()
  const { result, error } = await mcp(endpoint, 'tools/call', { name: tool, arguments: given })
  const milliseconds = Date.now() - startedAt
  const { content = [], structuredContent, isError } = (result ?? {}) as ShownToolResult
  const text = error ? error.message : content.map((it) => it.text ?? '').join('\n')
  return {
    tool,
    given,
    text,
    structure: structuredContent,
    json: JSON.stringify({ jsonrpc: '2.0', id: 1, ...(error ? { error } : { result }) }),
    isError: error !== undefined || isError === true,
    milliseconds,
    tokens: estimatedTokens(text),
    bytes: new TextEncoder().encode(text).length,
  }
}
