// Asks a server over HTTP.
import { Failure } from '../api.mjs'
import { bearerIn } from '../host-checks/challenge.mjs'
import { isRedirect, prober } from '../host-checks/probe.mjs'
import { after, leave, messageIn, send } from '../host-checks/rpc.mjs'

const MAX_WAIT_MS = 30_000
const MAX_BYTES = 8 * 1024 * 1024

/** A server at this URL, asked with these headers. */
export function overHttp(url, headers) {
  const probe = prober({ fetch, wait: MAX_WAIT_MS, bytes: MAX_BYTES })
  const own = (url, request) =>
    probe(url, { ...request, headers: { ...request.headers, ...headers } })
  const visit = { probe: own, url: new URL(url) }
  let session = {}
  let opening

  async function request(message, { version, isModern }) {
    const named = isModern && { 'mcp-method': message.method }
    const answer = await send(visit, message, {
      'mcp-protocol-version': version,
      ...named,
      ...session,
    })
    if (answer.status === 0) throw new Failure(`${url.host}: ${answer.fault}`)
    if (answer.status === 401) throw refusal(answer, headers)
    if (isRedirect(answer)) throw new Failure('It points to another URL. Ask that one.')
    const reply = messageIn(answer)
    if (message.method === 'initialize' && reply?.result) {
      opening = answer
      session = after(answer)
    }
    return reply ?? { status: answer.status }
  }

  return {
    request,
    async notify(message) {
      await send(visit, message, session)
    },
    close: async () => {
      if (opening) await leave(visit, opening)
    },
  }
}

function refusal(answer, headers) {
  if (headers.authorization) return new Failure('It refuses this key (401).')
  const bearer = bearerIn(answer.headers.get('www-authenticate'))
  const how = bearer?.resource_metadata
    ? 'It needs a sign-in (401): hosts open a page for it.'
    : 'It needs a key (401).'
  return new Failure(`${how} With a key or a token, name its variable: --key-env NAME.`)
}
