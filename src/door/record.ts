import type { Context } from 'hono'
import { recordPage } from '../console/index.ts'
import { type Document, MAX_ID_CHARS, NO_RECORD } from '../gateway/index.ts'
import { codes } from '../mcp/index.ts'
import { type App, refuse } from './admission/admission.ts'
import { ownCall, rpcAnswer } from './console/own-call.ts'

/**
 * Shows a person a record that a search found, by calling the tool `fetch`. That way, the limits and the log of an
 * endpoint's calls also cover its pages.
 *
 * @param serve carries out a call that was admitted with this request
 */
export async function showRecord(
  c: Context<App>,
  serve: (request: Request) => Promise<Response>,
): Promise<Response> {
  const { headers, signal, url } = c.req.raw
  // Not decoded: a decoded part may contain a slash.
  const [, , name = '', ...parts] = new URL(url).pathname.split('/')
  const id = parts.join('/')
  if (id.length > MAX_ID_CHARS) return refuse(c, 404, NOTHING)
  const params = { name: 'fetch', arguments: { id } }
  const asked = { method: 'tools/call', params, client: 'tidegate-page', headers, signal }
  const answer = await serve(ownCall(new URL(`/mcp/${name}`, url), asked))
  if (!answer.ok) return answer
  const { result, error } = await rpcAnswer(answer)
  // There is no such tool: the endpoint has no search, or the group cannot use it.
  if (error?.code === codes.invalidParams) return refuse(c, 404, NOTHING)
  const { isError, content, structuredContent } = (result ?? {}) as FetchResult
  const text = content?.[0]?.text
  if (isError && text === NO_RECORD) return refuse(c, 404, NOTHING)
  if (isError || !structuredContent) return refuse(c, 503, text ?? UNREADABLE)
  const { title, text: row, metadata } = structuredContent
  return recordPage({ title, text: row, table: metadata.table ?? '' })
}

interface FetchResult {
  readonly isError?: boolean
  readonly content?: readonly { readonly text?: string }[]
  readonly structuredContent?: Document
}

const NOTHING = 'There is no such record here.'
const UNREADABLE = 'This record cannot be read. Try again later.'
