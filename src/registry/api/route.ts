import { Hono } from 'hono/tiny'
import type * as z from 'zod/mini'
import { ConfigError, jsonFault } from '../../gateway/index.ts'
import { unexpected } from '../../mcp/index.ts'
import { ApiFault, checked, faultAnswer } from './fault.ts'
import { noting } from './noting.ts'
import type { Surroundings } from './surroundings.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

type Schema = z.ZodMiniType
type Fields = z.ZodMiniObject

/** What a route is asked, after its schemas have checked it. */
export interface Asked<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly url: URL
  /** The kinds of answer that the client takes. */
  readonly accept: string
  readonly signal: AbortSignal
}

/** An answer of a route. */
interface Answered {
  readonly description: string
  readonly schema?: Schema
  /** Of a line, where the client may ask for the answer line by line. */
  readonly lines?: Schema
}

/** A route of the API. The document of the API and the checks are made of the same schemas. */
export interface Route<
  Params extends Fields = Fields,
  Query extends Fields = Fields,
  Body extends Schema = Schema,
> {
  readonly method: Method
  /** `/api/keys/{id}` */
  readonly path: string
  readonly summary: string
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  readonly maxBodyBytes?: number
  /** The answers besides the errors that every route has, by their status. */
  readonly answers: Readonly<Record<number, Answered>>
  /**
   * What the record of changes says of it: `revoked key Ada, laptop`. A route that changes something has it.
   * It names things and fields, and never what they are set to.
   */
  says?(
    asked: Asked<z.infer<Params>, z.infer<Query>, z.infer<Body>>,
    surroundings: Surroundings,
  ): string | Promise<string>
  run(
    asked: Asked<z.infer<Params>, z.infer<Query>, z.infer<Body>>,
    surroundings: Surroundings,
  ): Promise<Response>
}

/** Makes a route, so that its schemas give the types of what it is asked. */
export const route = <Params extends Fields, Query extends Fields, Body extends Schema>(
  it: Route<Params, Query, Body>,
): Route => it as unknown as Route

const MAX_BODY_BYTES = 1024 * 1024

/** Bytes of a refused body that are read and dropped. */
const MAX_DRAINED_BYTES = 16 * 1024 * 1024

/** An application of these routes. */
export function application(routes: readonly Route[]): Hono<{ Bindings: Surroundings }> {
  const app = new Hono<{ Bindings: Surroundings }>()
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
      const message = `This path takes ${allow.join(', ')}.`
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
    if (error instanceof ConfigError) return faultAnswer(new ApiFault(422, error.message))
    return faultAnswer(new ApiFault(500, unexpected(error)))
  })
  return app
}

async function change(it: Route, asked: Asked<never, never, never>, surroundings: Surroundings) {
  const { params, body, url } = asked as Asked<Named | undefined, unknown, Named | undefined>
  const what = await it.says?.(asked, surroundings)
  const note = {
    by: surroundings.by,
    what: what ?? `${it.method.toUpperCase()} ${url.pathname}`,
    ...(it.path.startsWith('/api/endpoints') && { endpoint: params?.name ?? body?.name }),
  }
  return noting(note, surroundings, what !== undefined, (noted) => it.run(asked, noted))
}

interface Named {
  readonly name?: string
}

const honoPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

async function read(
  it: Route,
  request: Request,
  given: Readonly<Record<string, string>>,
): Promise<Asked<never, never, never>> {
  const url = new URL(request.url)
  const params = it.params?.safeParse(given)
  // A name that cannot be one is the name of nothing.
  if (params && !params.success) throw new ApiFault(404, NOTHING_THERE)
  const query = it.query && checked(it.query, Object.fromEntries(url.searchParams))
  const body = it.body && checked(it.body, await json(request, it.maxBodyBytes ?? MAX_BODY_BYTES))
  if (!it.body) await drain(request)
  const accept = request.headers.get('accept') ?? ''
  return { params: params?.data, query, body, url, accept, signal: request.signal } as never
}

/** What the sender of a name reads if nothing has it. */
export const NOTHING_THERE = 'There is nothing of this name here.'

async function json(request: Request, maxBytes: number): Promise<unknown> {
  const text = await textOf(request, maxBytes)
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiFault(400, `The body is not JSON. ${jsonFault(text)}`)
  }
}

async function textOf({ body }: Request, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  const parts: string[] = []
  let bytes = 0
  try {
    for await (const chunk of body ?? []) {
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

/** Reads what is left of a body: if the answer comes too early, local servers drop the connection. */
async function drain(request: Request): Promise<void> {
  if (request.bodyUsed) return
  let bytes = 0
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_DRAINED_BYTES) break
  }
}
