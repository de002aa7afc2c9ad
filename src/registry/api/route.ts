import { Hono } from 'hono/tiny'
import type * as z from 'zod/mini'
import { ConfigError, jsonFault } from '../../gateway/index.ts'
import { drain, MAX_DRAINED_BYTES, piecesOf, Refusal, unexpected } from '../../mcp/index.ts'
import { ApiFault, checked, checkedInPieces, faultAnswer } from './fault.ts'
import { noting } from './noting.ts'
import type { ApiContext } from './surroundings.ts'

type RouteMethod = 'get' | 'post' | 'put' | 'patch' | 'delete'

type FieldSchema = z.ZodMiniType
type BodySchema = z.ZodMiniObject

/** The input to a route, checked by its schemas. */
export interface RouteInput<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly url: URL
  /** The media types that the client accepts. */
  readonly accept: string
  readonly signal: AbortSignal
}

/** An API route. The OpenAPI document and the checks are made from the same schemas. */
export interface Route extends Handler<BodySchema, BodySchema, FieldSchema> {
  readonly method: RouteMethod
  /** `/api/keys/{id}` */
  readonly path: string
}

interface Handler<Params extends BodySchema, Query extends BodySchema, Body extends FieldSchema> {
  readonly summary: string
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  readonly maxBodyBytes?: number
  /** Body fields that are long lists. They are checked in pieces. */
  readonly longLists?: readonly string[]
  /** The response. `lines` is the schema of one line, if the client can request the response line by line. */
  readonly answers: readonly [
    status: number,
    description: string,
    schema?: FieldSchema,
    lines?: FieldSchema,
  ]
  /**
   * Text for the record of changes, such as `revoked key Ada, laptop`. Every route that changes something has
   * it. It names entries and fields, but never the values that they are set to.
   */
  says?(
    asked: RouteInput<z.infer<Params>, z.infer<Query>, z.infer<Body>>,
    surroundings: ApiContext,
  ): string | Promise<string>
  run(
    asked: RouteInput<z.infer<Params>, z.infer<Query>, z.infer<Body>>,
    surroundings: ApiContext,
  ): Promise<Response>
}

/** Makes a route, inferring the types of its input from its schemas. */
export const route = <
  Params extends BodySchema,
  Query extends BodySchema,
  Body extends FieldSchema,
>(
  method: RouteMethod,
  path: string,
  handler: Handler<Params, Query, Body>,
): Route => ({
  ...(handler as unknown as Handler<BodySchema, BodySchema, FieldSchema>),
  method,
  path,
})

const MAX_BODY_BYTES = 1024 * 1024

/** An application with these routes. */
export function application(routes: readonly Route[]): Hono<{ Bindings: ApiContext }> {
  const app = new Hono<{ Bindings: ApiContext }>()
  for (const it of routes) {
    app.on(it.method, honoPath(it.path), async (c) => {
      const asked = await read(it, c.req.raw, c.req.param())
      return it.method === 'get' ? it.run(asked, c.env) : change(it, asked, c.env)
    })
  }
  for (const path of new Set(routes.map((it) => it.path))) {
    const methods = routes.filter((it) => it.path === path).map((it) => it.method.toUpperCase())
    const allow = methods.includes('GET') ? [...methods, 'HEAD'] : methods
    app.all(honoPath(path), () => {
      const message = `This path accepts ${allow.join(', ')}.`
      throw new ApiFault(405, message, { headers: { allow: allow.join(', ') } })
    })
  }
  app.notFound(async (c) => {
    await drain(c.req.raw)
    return faultAnswer(new ApiFault(404, 'The API has no such path. See /api/openapi.json.'))
  })
  app.onError(async (error, c) => {
    await drain(c.req.raw)
    if (error instanceof ApiFault) return faultAnswer(error)
    // The client disconnected while sending its body, or was too slow.
    if (error instanceof Refusal) return faultAnswer(new ApiFault(400, error.message))
    if (error instanceof ConfigError) return faultAnswer(new ApiFault(422, error.message))
    return faultAnswer(new ApiFault(500, unexpected(error)))
  })
  return app
}

async function change(it: Route, asked: RouteInput<never, never, never>, surroundings: ApiContext) {
  const { params, body, url } = asked as RouteInput<
    NamedRoute | undefined,
    unknown,
    NamedRoute | undefined
  >
  const what = await it.says?.(asked, surroundings)
  const note = {
    by: surroundings.by,
    what: what ?? `${it.method.toUpperCase()} ${url.pathname}`,
    ...(it.path.startsWith('/api/endpoints') && { endpoint: params?.name ?? body?.name }),
  }
  return noting(note, surroundings, what !== undefined, (noted) => it.run(asked, noted))
}

interface NamedRoute {
  readonly name?: string
}

const honoPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

async function read(
  it: Route,
  request: Request,
  given: Readonly<Record<string, string>>,
): Promise<RouteInput<never, never, never>> {
  const url = new URL(request.url)
  const params = it.params?.safeParse(given)
  // Nothing has an invalid name.
  if (params && !params.success) throw new ApiFault(404, NOTHING_THERE)
  const query = it.query && checked(it.query, Object.fromEntries(url.searchParams))
  const sent = it.body && (await json(request, it.maxBodyBytes ?? MAX_BODY_BYTES))
  const body = it.body && (await checkedInPieces(it.body, sent, it.longLists ?? []))
  if (!it.body) await drain(request)
  const accept = request.headers.get('accept') ?? ''
  return { params: params?.data, query, body, url, accept, signal: request.signal } as never
}

const NOTHING_THERE = 'There is nothing with this name here.'

async function json(request: Request, maxBytes: number): Promise<unknown> {
  const text = await textOf(request, maxBytes)
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiFault(400, `The body is not JSON. ${jsonFault(text)}`)
  }
}

async function textOf(request: Request, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  const parts: string[] = []
  let bytes = 0
  try {
    for await (const chunk of piecesOf(request)) {
      bytes += chunk.byteLength
      if (bytes <= maxBytes) parts.push(decoder.decode(chunk, { stream: true }))
      else if (bytes > maxBytes + MAX_DRAINED_BYTES) break
    }
    if (bytes <= maxBytes) parts.push(decoder.decode())
  } catch (error) {
    if (error instanceof TypeError) throw new ApiFault(400, 'The body is not UTF-8.')
    throw error
  }
  if (bytes > maxBytes) {
    throw new ApiFault(413, `The body must have at most ${maxBytes / 1024 / 1024} MiB.`)
  }
  return parts.join('')
}
