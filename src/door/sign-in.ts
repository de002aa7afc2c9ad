import type { Context } from 'hono'
import {
  doorPages,
  forwarded,
  issuersOf,
  isTrue,
  isUnambiguous,
  nameIn,
  offersSignIn,
  resourceMetadata,
} from '../auth/index.ts'
import { isName } from '../gateway/index.ts'
import { clientNetwork, inTime } from '../ground/index.ts'
import { Refusal, RpcError, readBody } from '../mcp/index.ts'
import { secretProblem } from '../registry/index.ts'
import { type App, refuse, wantsHtml } from './admission/admission.ts'
import { deploymentOf } from './deployment.ts'
import { unavailable } from './faults.ts'

/** Maximum size of a form or of a client's metadata, in bytes. */
const MAX_BODY_BYTES = 64 * 1024

/**
 * Time limit for the object. Within it, the object may query a provider and fetch a client's document, which take up to
 * ten seconds each.
 */
const MAX_WAIT_MS = 30_000

/** Passes requests to the authorization server: its pages, its endpoints, and its metadata (RFC 8414). */
export async function authorize(c: Context<App>): Promise<Response> {
  const { method, url, headers, signal } = c.req.raw
  const { origin, pathname, searchParams } = new URL(url)
  // The object parses the path itself. An ambiguous path is refused.
  if (pathname !== c.req.path) return wantsHtml(c) ? fault(404, NOTHING) : refuse(c, 404, NOTHING)
  const isPage = !SERVICES.includes(pathname)
  if (!isTrue(origin)) {
    return isPage ? fault(403, NOT_HERE) : refuse(c, 403, NOT_HERE)
  }
  const problem = secretProblem(c.env.TIDEGATE_SECRET)
  if (problem) return isPage ? fault(503, problem) : refuse(c, 503, problem)
  if (pathname === '/authorize' && !isUnambiguous(searchParams)) return fault(400, AMBIGUOUS)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? await readBody(c.req.raw, MAX_BODY_BYTES).catch(faultOf) : null
  if (body instanceof RpcError) {
    const status = body instanceof Refusal ? body.status : 400
    if (isPage) return fault(status, NO_FORM)
    // Programs get these services' errors in OAuth format (RFC 6749, section 5.2).
    const oauthError = { error: 'invalid_request', error_description: body.message }
    return Response.json(oauthError, { status, headers: { 'cache-control': 'no-store' } })
  }
  const request = new Request(url, { method, headers, body, signal, redirect: 'manual' })
  const asked = forwarded(c.env.AUTHORIZATION, request)
  const answer = await inTime(MAX_WAIT_MS, asked).catch((error: unknown) => {
    console.error(error)
    return isPage ? fault(503, DOWN) : comeAgain()
  })
  const kept = new Response(answer.body, answer)
  kept.headers.set('cache-control', 'no-store')
  return kept
}

function faultOf(error: unknown): RpcError {
  if (error instanceof RpcError) return error
  throw error
}

const fault = async (status: number, message: string): Promise<Response> =>
  (await doorPages()).errorPage(status, message)

/** A deploy restarts the object. Apps treat anything but an OAuth error as a lost sign-in. */
const comeAgain = (): Response =>
  Response.json(
    { error: 'temporarily_unavailable', error_description: DOWN },
    { status: 503, headers: { 'retry-after': '5' } },
  )

const DOWN = 'The sign-in service is not responding. Try again in a few seconds.'

/** Paths for programs. The rest are pages. */
const SERVICES = ['/token', '/register', '/.well-known/oauth-authorization-server']

/** Serves the sign-in metadata, at its registered paths. */
export async function describe(c: Context<App>): Promise<Response> {
  const { method, path } = c.req
  const { origin, pathname } = new URL(c.req.url)
  const isServer = path === '/.well-known/oauth-authorization-server' && offersSignIn(c.env)
  const name = nameIn(pathname)
  if (issuersOf(c.env, origin).length === 0) return nothing(c)
  if (!isServer && (name === undefined || !(await needsSignIn(c, name)))) return nothing(c)
  if (method !== 'GET' && method !== 'HEAD') {
    return refuse(c, 405, 'Send a GET.', { allow: 'GET, HEAD, OPTIONS' })
  }
  if (isServer) return authorize(c)
  return c.json(resourceMetadata(c.env, origin, name), 200, { 'cache-control': 'no-store' })
}

/** True if the endpoint with this name needs sign-in. An unknown endpoint appears to need it, too. */
async function needsSignIn(c: Context<App>, name: string): Promise<boolean> {
  if (name !== '' && !isName(name)) return false
  const { sites } = deploymentOf(c.env)
  const address = clientNetwork(c.req.raw.headers)
  const { site } = await sites.find(name || undefined, {}, address).catch(unavailable)
  return site?.endpoint.access !== 'public'
}

/** The message repeats nothing from the path, which may contain a key. */
const nothing = (c: Context<App>): Promise<Response> =>
  refuse(c, 404, NOTHING, { 'referrer-policy': 'no-referrer' })

const NOTHING = 'There is nothing to sign in to at this URL.'
const NOT_HERE = 'Over plain http, people can sign in on this machine only. Use https.'
const NO_FORM = 'This form is not valid here. Go back and try again.'
const AMBIGUOUS =
  'The request of the app is ambiguous (a parameter is repeated). Connect it again. If that does not help, contact the developer of the app.'
