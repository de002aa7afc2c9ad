import type { Context } from 'hono'
import { type App, refuse } from './admission.ts'
import {
  authorizationIn,
  callerWith,
  isOperator,
  offersSignIn,
  shownBy,
  WRONG_KEY,
} from './auth/index.ts'
import { deploymentOf } from './deployment.ts'
import { type AskRegistry, adminApi, type Candidate } from './registry/index.ts'

/** Serves `/api`, by which the operator changes the registry. Nobody else may. */
export async function administer(c: Context<App>): Promise<Response> {
  const deployment = deploymentOf(c.env)
  const { registry } = deployment
  if (!registry) return refuse(c, 503, NO_OPERATOR)
  if (!isOperator(c.var.caller)) return refuseStranger(c)

  const change: AskRegistry = async (order, input) => {
    try {
      return await registry(order, input)
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
  return serveApi(c.req.raw, {
    configured: deployment.configured.map(({ endpoint }) => endpoint),
    isOnlyDemo: !c.env.ENDPOINTS && !c.env.DATABASE_URL,
    ask: registry,
    change,
    signIns: offersSignIn(c.env) ? authorizationIn(c.env.AUTHORIZATION) : undefined,
    objects: c.env,
    secrets: c.env,
    privateHosts: deployment.privateHosts,
    check: (candidate) => deployment.check(siteOf(candidate)),
    report: (candidate) => deployment.report(siteOf(candidate)),
    diagnose: (candidate, signal) =>
      deployment.diagnose([siteOf(candidate)], signal, { tables: true }),
  })
}

const NO_OPERATOR =
  'This deployment has no operator. Set a key with: npx wrangler secret put TIDEGATE_KEY'
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
