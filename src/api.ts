import type { Context } from 'hono'
import type { App } from './admission.ts'
import { callerWith, isOperator, shownBy, WRONG_KEY } from './auth/index.ts'
import { deploymentOf } from './deployment.ts'
import { type AskRegistry, adminApi, type Candidate } from './registry/index.ts'

/** Serves `/api`, by which the operator changes the registry. Nobody else may. */
export async function administer(c: Context<App>): Promise<Response> {
  const { refuseApi, serveApi } = await adminApi()
  const request = c.req.raw
  const deployment = deploymentOf(c.env)
  const { registry } = deployment
  if (!registry) return refuseApi(request, 503, NO_OPERATOR)
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
  return serveApi(request, {
    configured: deployment.configured.map(({ endpoint }) => endpoint),
    isOnlyDemo: !c.env.ENDPOINTS && !c.env.DATABASE_URL,
    ask: registry,
    change,
    objects: c.env,
    secrets: c.env,
    privateHosts: deployment.privateHosts,
    check: (candidate) => deployment.check(siteOf(candidate)),
    diagnose: (candidate, signal) =>
      deployment.diagnose([siteOf(candidate)], signal, { tables: true }),
  })
}

const NO_OPERATOR =
  'This deployment has no operator. Set a key with: npx wrangler secret put TIDEGATE_KEY'
const NOT_THE_OPERATOR = 'This key is for endpoints. The API takes the key of the operator.'
const SEND_THE_KEY = 'Send the key of the operator as Authorization: Bearer KEY.'

async function refuseStranger(c: Context<App>): Promise<Response> {
  const { refuseApi } = await adminApi()
  const request = c.req.raw
  const shown = await shownBy(request, c.env)
  if (shown.key) {
    const { key } = await deploymentOf(c.env).find(undefined, shown)
    if ('caller' in callerWith(shown.key, key)) return refuseApi(request, 403, NOT_THE_OPERATOR)
  }
  const isWrong = shown.key !== undefined || shown.wrong !== undefined
  const error = isWrong ? `, error="invalid_token"` : ''
  const headers = { 'www-authenticate': `Bearer realm="Tidegate"${error}` }
  return refuseApi(request, 401, isWrong ? WRONG_KEY : SEND_THE_KEY, headers)
}
