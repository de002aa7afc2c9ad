import type { Context } from 'hono'
import { byOperator, type OperatorSeen } from '../../auth/index.ts'
import type { ConsoleVisit } from '../../console/index.ts'
import { knownScheme, platformOf } from '../../database/index.ts'
import type { App } from '../admission/admission.ts'
import { administration } from '../api.ts'
import { ownCall, rpcAnswer } from './own-call.ts'

interface ConsoleRequest {
  readonly name: string
  readonly seen: OperatorSeen
  readonly fields: URLSearchParams
  readonly send: (request: Request) => Promise<Response>
}

/** A Console page's requests to this deployment: to its API, and, as an MCP client, to its endpoints. */
export async function visitOf(
  c: Context<App>,
  { name, seen, fields, send }: ConsoleRequest,
): Promise<ConsoleVisit> {
  const { origin } = new URL(c.req.url)
  const { signal } = c.req.raw
  const serveApi = await administration(c.env, { by: name, send })
  return {
    origin,
    signal,
    fields,
    isWorker: platformOf(c.env.MACHINE) === 'worker',
    operator: name,
    formToken: seen.formToken,
    proofHash: seen.proof,
    titleOf: (scheme) => knownScheme(scheme)?.title,
    async send(path, init = {}) {
      const url = new URL(`/api${path}`, origin)
      // An invalid name in the path could change its target, as `..` does.
      if (url.pathname !== `/api${path}`.split('?', 1)[0])
        return Response.json(NO_PATH, { status: 404 })
      return serveApi(new Request(url, init))
    },
    mcp: (endpoint, method, params = {}) => {
      const headers = { authorization: `Bearer ${c.env.TIDEGATE_KEY}` }
      const url = new URL(`/mcp/${encodeURIComponent(endpoint)}`, origin)
      const request = ownCall(url, { method, params, client: 'tidegate-console', headers, signal })
      // A caller who has only the key has no name.
      if (name !== KEY_HOLDER) byOperator(request, name)
      return send(request).then(rpcAnswer)
    },
  }
}

/** Name of the admin key's holder in the change log. */
const KEY_HOLDER = 'operator'

const NO_PATH = { error: { code: 'not_found', message: 'There is nothing with this name.' } }
