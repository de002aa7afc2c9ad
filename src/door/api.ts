import type { Context } from 'hono'
import {
  authorizationIn,
  callerWith,
  challengeOf,
  isOperator,
  offersSignIn,
  shownBy,
  signInFaults,
  WRONG_KEY,
  wayToSignIn,
} from '../auth/index.ts'
import { clientNetwork } from '../ground/index.ts'
import {
  type ApiContext,
  type AskRegistry,
  adminApi,
  type CandidateEndpoint,
} from '../registry/index.ts'
import { type App, refuse } from './admission/admission.ts'
import { deploymentOf } from './deployment.ts'
import { inspectionOf } from './doctor/inspection.ts'
import { storedProblems } from './doctor/ready.ts'
import type { Env } from './env.ts'
import { unavailable } from './faults.ts'
import type { Sites } from './sites.ts'
import { sentenceOf } from './visit.ts'

/** Serves `/api`, where only the operator can change the registry. */
export async function administer(
  c: Context<App>,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (!deploymentOf(c.env).registry) return refuse(c, 503, NO_OPERATOR)
  if (!isOperator(c.var.caller)) return refuseStranger(c)
  return (await administration(c.env, { by: 'operator', send }))(c.req.raw)
}

/**
 * The API for a caller who is allowed to use it.
 *
 * @param by the caller's name in the change log
 * @param send carries out a request to this deployment without the network
 */
export async function administration(
  env: Env,
  { by, send }: { readonly by: string; readonly send: (request: Request) => Promise<Response> },
): Promise<(request: Request) => Promise<Response>> {
  const deployment = deploymentOf(env)
  const { registry, sites } = deployment
  if (!registry) throw new Error('There is no registry without an operator.')

  const change: AskRegistry = async (order, input, note) => {
    try {
      return await registry(order, input, note)
    } finally {
      sites.forget()
    }
  }
  const { diagnose, ...inspection } = inspectionOf(deployment, (it: CandidateEndpoint) =>
    siteOfCandidate(sites, it),
  )
  const { serveApi } = await adminApi()
  const surroundings = {
    by,
    configured: sites.configured.map(({ endpoint }) => endpoint),
    isOnlyDemo: !env.ENDPOINTS && !env.DATABASE_URL,
    ask: registry,
    change,
    signIns: offersSignIn(env) ? authorizationIn(env.AUTHORIZATION) : undefined,
    objects: env,
    secrets: env,
    adminKey: env.TIDEGATE_KEY,
    privateHosts: sites.privateHosts,
    machine: deployment.lent,
    ...inspection,
    diagnose: (it: CandidateEndpoint, signal: AbortSignal) =>
      diagnose([it], signal, { tables: true }),
    metrics: deployment.calls.metrics,
    health: () => healthOf(env),
    async hostTest(url: string) {
      const { selfTest } = await import('./doctor/self-test.ts')
      return selfTest(url, send)
    },
  } satisfies ApiContext
  return (request) => serveApi(request, surroundings)
}

/** The site for an endpoint, as its group sees it. The endpoint does not have to be stored. */
function siteOfCandidate(sites: Sites, { entry, group, privateHosts }: CandidateEndpoint) {
  const { credentials: own, ...site } = sites.siteOf(entry)
  const credentials = { ...own, ...group?.credentials }
  return { ...site, credentials, privateHosts, group: group && { ...group, changedAt: 0 } }
}

async function healthOf(env: Env) {
  const [state, problems, stored] = await Promise.all([
    wayToSignIn(env),
    signInFaults(env),
    storedProblems(env, true),
  ])
  const signIn = { state, ways: WAYS.filter((it) => env[it]), problems }
  return { configuration: deploymentOf(env).sites.problem, stored, signIn }
}

const WAYS = [
  'TIDEGATE_PASSPHRASE',
  'SIGN_IN_ISSUER',
  'ACCESS_TEAM',
  'TOKEN_ISSUER',
  'ENTERPRISE_ISSUER',
] as const

const NO_OPERATOR =
  'This deployment has no admin key. Set the variable TIDEGATE_KEY to a key. In a Worker: npx wrangler secret put TIDEGATE_KEY'
const NOT_THE_OPERATOR =
  'This key is for endpoints. Send the admin key (TIDEGATE_KEY) to use the API.'
const NO_TOKEN =
  'Access tokens are for endpoints. Send the admin key (TIDEGATE_KEY) to use the API.'
const SEND_THE_KEY = 'Send the admin key (TIDEGATE_KEY) as Authorization: Bearer KEY.'

async function refuseStranger(c: Context<App>): Promise<Response> {
  const shown = await shownBy(c.req.raw, c.env)
  if (shown.key) {
    const { sites } = deploymentOf(c.env)
    const { key } = await sites
      .find(undefined, shown, clientNetwork(c.req.raw.headers))
      .catch(unavailable)
    if ('caller' in callerWith(shown.key, key)) return refuse(c, 403, NOT_THE_OPERATOR)
  }
  const isWrong = shown.key !== undefined || shown.token !== undefined || shown.wrong !== undefined
  // The challenge includes an error only if a wrong key was sent (RFC 6750, section 3.1).
  const message = shown.token
    ? NO_TOKEN
    : (sentenceOf(shown) ?? (isWrong ? WRONG_KEY : SEND_THE_KEY))
  const fault = isWrong ? { error: 'invalid_token' as const, why: message } : undefined
  const challenge = challengeOf(c.env, undefined, fault)
  return refuse(c, 401, message, { 'www-authenticate': challenge })
}
