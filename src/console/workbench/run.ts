import type { Visit } from '../visit.ts'
import { estimatedTokens } from './fit.ts'

/** What a tool answered to a run. */
export interface Ran {
  readonly tool: string
  readonly given: Readonly<Record<string, unknown>>
  /** What the model reads. */
  readonly text: string
  readonly structure: Readonly<Record<string, unknown>> | undefined
  /** The whole answer, in JSON. */
  readonly json: string
  /** It is an error: of the tool, or of the endpoint. */
  readonly isError: boolean
  readonly milliseconds: number
  readonly tokens: number
  readonly bytes: number
}

/** Calls a tool as an app does. */
export async function run(
  { mcp }: Visit,
  endpoint: string,
  tool: string,
  given: Readonly<Record<string, unknown>>,
): Promise<Ran> {
  const startedAt = Date.now()
  const { result, error } = await mcp(endpoint, 'tools/call', { name: tool, arguments: given })
  const milliseconds = Date.now() - startedAt
  const content = (result?.content ?? []) as readonly { readonly text?: string }[]
  const text = error ? error.message : content.map((it) => it.text ?? '').join('\n')
  return {
    tool,
    given,
    text,
    structure: result?.structuredContent,
    json: JSON.stringify({ jsonrpc: '2.0', id: 1, ...(error ? { error } : { result }) }),
    isError: error !== undefined || result?.isError === true,
    milliseconds,
    tokens: estimatedTokens(text),
    bytes: new TextEncoder().encode(text).length,
  }
}
