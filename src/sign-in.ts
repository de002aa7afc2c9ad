import type { Context } from 'hono'
import { type App, refuse, wantsHtml } from './admission.ts'
import {
  doorPages,
  forwarded,
  issuersOf,
  isTrue,
  isUnambiguous,
  nameIn,
  offersSignIn,
  resourceMetadata,
} from './auth/index.ts'
import { deploymentOf } from './deployment.ts'
import { isName } from './gateway/index.ts'
import { Refusal, RpcError, readBody } from './mcp/index.ts'
import { inTime, networkOf, secretProblem } from './registry/index.ts'
import { unavailable } from './visit.ts'

/** Bytes of a form or of a client's metadata. */
const MAX_BODY_BYTES = 64 * 1024

/** A provider and a client's document may each be asked meanwhile, and both have ten seconds. */
const MAX_WAIT_MS = 30_000

/** Sends what is for the authorization server to it: its pages, its endpoints, and its metadata (RFC 8414). */
export async function authorize(c: Context<App>): Promise<Response> {
  const { method, url, headers, signal } = c.req.raw
  const { origin, pathname, searchParams } = new URL(url)
  // The object reads the path itself. One that could be read in another way is nobody's.
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
    // What programs read of the services has the form of OAuth (RFC 6749, section 5.2).
    const told = { error: 'invalid_request', error_description: body.message }
    return Response.json(told, { status, headers: { 'cache-control': 'no-store' } })
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

/** Objects are restarted, by a deploy, too. To what is no error of OAuth apps sign people in again. */
const comeAgain = (): Response =>
  Response.json(
    { error: 'temporarily_unavailable', error_description: DOWN },
    { status: 503, headers: { 'retry-after': '5' } },
  )

const DOWN = 'The sign-in does not answer. Try again in a few seconds.'

/** What programs use. The rest are pages. */
const SERVICES = ['/token', '/register', '/.well-known/oauth-authorization-server']

/** Serves what there is to know of the sign-in, under the names that are registered for it. */
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

/** Whether the endpoint of this name needs one. One that does not exist looks as if it did. */
async function needsSignIn(c: Context<App>, name: string): Promise<boolean> {
  if (name !== '' && !isName(name)) return false
  const from = c.req.header('cf-connecting-ip')
  const address = from === undefined ? undefined : networkOf(from)
  const { find } = deploymentOf(c.env)
  const { site } = await find(name || undefined, {}, address).catch(unavailable)
  return site?.endpoint.access !== 'public'
}

/** Repeats nothing of the path, which may hold a key. */
const nothing = (c: Context<App>): Promise<Response> =>
  refuse(c, 404, NOTHING, { 'referrer-policy': 'no-referrer' })

const NOTHING = 'There is nothing to sign in to at this URL.'
const NOT_HERE = 'Over plain http, people can sign in on this machine only. Use https.'
const NO_FORM = 'This is no form of this page. Go back, and try again.'
const AMBIGUOUS =
  'The app asked in a way that can be read in two ways. Connect it again. If that does not help, tell those who make the app.'
