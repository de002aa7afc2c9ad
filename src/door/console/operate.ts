import type { Context } from 'hono'
import {
  authorizationIn,
  doorPages,
  equal,
  hasConsole,
  isTrue,
  type OperatorSeen,
} from '../../auth/index.ts'
import { consoleRoutes, OPERATOR_KEY, PROOF, proofPage } from '../../console/index.ts'
import { clientNetwork, hashOf, inTime } from '../../ground/index.ts'
import { Refusal, RpcError, readBody } from '../../mcp/index.ts'
import { secretProblem } from '../../registry/index.ts'
import { type App, refuse, wantsHtml } from '../admission/admission.ts'
import { deploymentOf } from '../deployment.ts'
import { visitOf } from './visit.ts'

/** Maximum size of a Console form, in bytes. */
const MAX_FORM_BYTES = 1024 * 1024

/** Time limit for the sign-in to identify this person. */
const MAX_WAIT_MS = 10_000

/**
 * Serves the Console. Only operators can open it. Everybody else is asked to sign in. Only a form from one of its own
 * pages can change anything.
 *
 * @param send carries out a request to this deployment without the network
 */
export async function operate(
  c: Context<App>,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  const { method, url } = c.req.raw
  const { origin, pathname, search } = new URL(url)
  if (!hasConsole(c.env)) return wantsHtml(c) ? seeOther('/setup') : refuse(c, 503, NOT_SET)
  if (!isTrue(origin)) return fault(403, NOT_HERE)
  const problem = secretProblem(c.env.TIDEGATE_SECRET)
  if (problem) return fault(503, problem)
  if (!METHODS.includes(method)) return fault(405, BROWSER, { allow: METHODS.join(', ') })
  const asking = authorizationIn(c.env.AUTHORIZATION)('operator', {
    url: origin,
    headers: headersOf(c),
  })
  const seen = await inTime(MAX_WAIT_MS, asking).catch((error: unknown) => {
    console.error(error)
    return undefined
  })
  if (!seen) return fault(503, DOWN)
  const { name } = seen
  if (name === undefined) {
    if (method === 'POST') return fault(403, ENDED)
    return seeOther(`/signin/operator?${new URLSearchParams({ to: pathname + search })}`)
  }
  const fields = method === 'POST' ? await fieldsOf(c.req.raw, seen) : new URLSearchParams()
  if (fields instanceof Response) return fields
  const isProven = method !== 'POST' || (await takeProof(c, fields, seen))
  if (isProven instanceof Refusal) return fault(isProven.status, isProven.message)
  const visit = await visitOf(c, { name, seen, fields, send })
  const answer = isProven
    ? await consoleRoutes(c.req.raw, visit)
    : await proofPage(visit, pathname + search)
  const kept = new Response(answer.body, answer)
  for (const it of seen.cookies) kept.headers.append('set-cookie', it)
  return kept
}

/** Headers that identify a browser: its cookies, and the header that Cloudflare Access adds. */
function headersOf({ req }: Context<App>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name of ['cookie', 'cf-access-jwt-assertion']) {
    const value = req.header(name)
    if (value !== undefined) headers[name] = value
  }
  return headers
}

/** Fields of a form, if it came from a Console page in this browser. */
async function fieldsOf(request: Request, seen: OperatorSeen): Promise<URLSearchParams | Response> {
  const { headers, url } = request
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  const isOurs =
    (site === null || site === 'same-origin') && (origin === null || origin === new URL(url).origin)
  const type = headers.get('content-type') ?? ''
  if (!isOurs) return fault(403, FOREIGN)
  if (!/^application\/x-www-form-urlencoded *(?:;|$)/i.test(type)) return fault(400, NO_FORM)
  try {
    const fields = new URLSearchParams(await readBody(request, MAX_FORM_BYTES))
    return fields.get('form') === seen.formToken ? fields : fault(403, FOREIGN)
  } catch (error) {
    if (error instanceof RpcError) return fault(413, TOO_LONG)
    throw error
  }
}

/**
 * True if a form comes from the person who signed in. Over plain http, a cookie is not enough: the browser sends it to
 * every port on this machine, where other users may be listening. The form also needs the proof that the browser stores
 * for this port alone, or the admin key. Removes both from the fields.
 */
async function takeProof(
  c: Context<App>,
  fields: URLSearchParams,
  { proof }: OperatorSeen,
): Promise<boolean | Refusal> {
  const shown = fields.get(PROOF)
  const key = fields.get(OPERATOR_KEY)
  fields.delete(PROOF)
  fields.delete(OPERATOR_KEY)
  // A session that began over plain http needs its proof over https, too, since its cookie could have leaked before.
  if (!proof && new URL(c.req.url).protocol === 'https:') return true
  if (proof && shown && equal(await hashOf(shown), proof)) return true
  if (!key) return false
  const { guesses } = deploymentOf(c.env)
  const network = clientNetwork(c.req.raw.headers) ?? ''
  if (guesses.tooMany(network)) return new Refusal(429, TOO_MANY)
  if (equal(key.trim(), c.env.TIDEGATE_KEY ?? '')) return true
  guesses.note(network)
  return false
}

const METHODS = ['GET', 'HEAD', 'POST']

const seeOther = (location: string): Response =>
  new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } })

const fault = async (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  (await doorPages()).errorPage(status, message, {
    headers,
    next: { href: '/console', text: 'Open the Console' },
  })

const NOT_SET =
  'The Console needs two secrets, TIDEGATE_KEY and TIDEGATE_SECRET. Open /setup in a browser to see how to set them.'
const NOT_HERE = 'Over plain http, the Console opens on this machine only. Use https.'
const BROWSER = 'Open this page in a browser.'
const DOWN = 'The sign-in service is not responding. Try again in a few seconds.'
const ENDED = 'Your session has ended, so nothing was changed. Sign in and submit the form again.'
const FOREIGN = 'This form did not come from a page of the Console, so nothing was changed.'
const NO_FORM = 'This form is not valid here. Nothing was changed.'
const TOO_MANY =
  'Too many wrong keys came from this address. Nothing was changed. Try again in a minute.'
const TOO_LONG = 'This form is larger than 1 MiB, so nothing was changed.'
