import type { Context } from 'hono'
import { type App, refuse } from './admission.ts'
import {
  authorizationIn,
  callerWith,
  isOperator,
  offersSignIn,
  shownBy,
  signInFaults,
  WRONG_KEY,
  wayToSignIn,
} from './auth/index.ts'
import { deploymentOf, type Env } from './deployment.ts'
import type { PreviewAsked, SchemaQuestion } from './gateway/index.ts'
import { inspectionOf } from './inspection.ts'
import { type AskRegistry, adminApi, type Candidate, type Surroundings } from './registry/index.ts'

/** Serves `/api`, by which the operator changes the registry. Nobody else may. */
export async function administer(
  c: Context<App>,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (!deploymentOf(c.env).registry) return refuse(c, 503, NO_OPERATOR)
  if (!isOperator(c.var.caller)) return refuseStranger(c)
  return (await administration(c.env, { by: 'operator', send }))(c.req.raw)
}

/**
 * The API for somebody who may use it.
 *
 * @param by what the record of changes calls them
 * @param send carries out a request to this deployment without the network
 */
export async function administration(
  env: Env,
  { by, send }: { readonly by: string; readonly send: (request: Request) => Promise<Response> },
): Promise<(request: Request) => Promise<Response>> {
  const deployment = deploymentOf(env)
  const inspection = inspectionOf(deployment)
  const { registry } = deployment
  if (!registry) throw new Error('There is no registry without an operator.')

  const change: AskRegistry = async (order, input, note) => {
    try {
      return await registry(order, input, note)
    } finally {
      deployment.forget()
    }
  }
  const siteOf = ({ entry, group, privateHosts }: Candidate) => {
    const { name } = entry.value
    const { credentials: own, ...site } = deployment.siteOf({
      active: true,
      credentials: {},
      createdAt: 0,
      changedAt: 0,
      ...entry,
      name,
    })
    const credentials = { ...own, ...group?.credentials }
    return { ...site, credentials, privateHosts, group: group && { ...group, changedAt: 0 } }
  }
  const { serveApi } = await adminApi()
  const surroundings = {
    by,
    configured: deployment.configured.map(({ endpoint }) => endpoint),
    isOnlyDemo: !env.ENDPOINTS && !env.DATABASE_URL,
    ask: registry,
    change,
    signIns: offersSignIn(env) ? authorizationIn(env.AUTHORIZATION) : undefined,
    objects: env,
    secrets: env,
    privateHosts: deployment.privateHosts,
    machine: deployment.lent,
    check: (candidate: Candidate) => inspection.check(siteOf(candidate)),
    report: (candidate: Candidate) => inspection.report(siteOf(candidate)),
    look: (candidate: Candidate, asked: Parameters<Surroundings['look']>[1]) =>
      deployment.look(siteOf(candidate), asked),
    diagnose: (candidate: Candidate, signal: AbortSignal) =>
      inspection.diagnose([siteOf(candidate)], signal, { tables: true }),
    diagnoseInStages: (candidate: Candidate, signal: AbortSignal) =>
      inspection.diagnoseInStages(siteOf(candidate), signal),
    preview: (candidate: Candidate, asked: PreviewAsked, signal: AbortSignal) =>
      inspection.preview(siteOf(candidate), asked, signal),
    async health() {
      const [state, problems] = await Promise.all([wayToSignIn(env), signInFaults(env)])
      const signIn = { state, ways: WAYS.filter((it) => env[it]), problems }
      return { configuration: deployment.problem, signIn }
    },
    async hostTest(url: string) {
      const { selfTest } = await import('./self-test.ts')
      return selfTest(url, send)
    },
    view: (candidate: Candidate, question: SchemaQuestion, signal: AbortSignal) =>
      inspection.view(siteOf(candidate), question, signal),
  } satisfies Surroundings
  return (request) => serveApi(request, surroundings)
}

/** Settings that name a way to sign in. */
const WAYS = [
  'TIDEGATE_PASSPHRASE',
  'SIGN_IN_ISSUER',
  'ACCESS_TEAM',
  'TOKEN_ISSUER',
  'ENTERPRISE_ISSUER',
] as const

const NO_OPERATOR =
  'This deployment has no operator. Set the variable TIDEGATE_KEY to a key. In a Worker: npx wrangler secret put TIDEGATE_KEY'
const NOT_THE_OPERATOR = 'This key is for endpoints. The API takes the key of the operator.'
const NO_TOKEN = 'Access tokens are for endpoints. The API takes the key of the operator.'
const SEND_THE_KEY = 'Send the key of the operator as Authorization: Bearer KEY.'
const CHALLENGE = 'Bearer realm="Tidegate"'

async function refuseStranger(c: Context<App>): Promise<Response> {
  const shown = await shownBy(c.req.raw, c.env)
  if (shown.key) {
    const { key } = await deploymentOf(c.env).find(undefined, shown)
    if ('caller' in callerWith(shown.key, key)) return refuse(c, 403, NOT_THE_OPERATOR)
  }
  const isWrong = shown.key !== undefined || shown.token !== undefined || shown.wrong !== undefined
  // An error is named only if a wrong key was sent (RFC 6750, section 3.1).
  const challenge = isWrong ? `${CHALLENGE}, error="invalid_token"` : CHALLENGE
  const message = shown.token ? NO_TOKEN : isWrong ? WRONG_KEY : SEND_THE_KEY
  return refuse(c, 401, message, { 'www-authenticate': challenge })
}
