import type { Env } from '../../src/door/deployment.ts'
import worker from '../../src/index.ts'
import { tag } from '../../src/mcp/durable/object-request.ts'

export * from '../../src/index.ts'

/**
 * The Worker with two more routes: `/test/registry` sends a command to the registry like its API, and
 * `/test/session/…` sends a request to the object of a session, as if the Worker had authorized it.
 */
export default {
  fetch(request: Request, env: Env): Response | Promise<Response> {
    // Does not parse the URL, because the Worker itself must refuse an invalid Host.
    const [, here, , rest] =
      /^(http:\/\/localhost)\/test\/(registry|session)(.*)/.exec(request.url) ?? []
    if (here === undefined || rest === undefined) return worker.fetch(request, env)
    if (rest === '') return env.REGISTRY.get(env.REGISTRY.idFromName('registry')).fetch(request)
    const inner = new Request(here + rest, request)
    const name = request.headers.get('mcp-session-id')!.split('.')[0]!
    const caller = { subject: request.headers.get('x-subject')!, scopes: ['db:read'] }
    const object = env.SESSIONS.get(env.SESSIONS.idFromName(name))
    return object.fetch(tag(inner, { as: 'session', name, caller }))
  },
}
