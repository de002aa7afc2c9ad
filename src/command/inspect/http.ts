// Sends requests to a server over HTTP.
import {
  after,
  bearerOf,
  isRedirect,
  leave,
  messageIn,
  type Probe,
  type ProbeAnswer,
  prober,
  send,
} from '../../host-checks/index.ts'
import { CommandFailure } from '../terminal/failure.ts'
import type { McpConnection, McpMessage, McpReply, SentAs } from './look.ts'

const MAX_WAIT_MS = 30_000
const MAX_BYTES = 8 * 1024 * 1024

type InspectHeaders = Readonly<Record<string, string>>

/** A connection to the server at this URL, with these headers. */
export function overHttp(url: URL, headers: InspectHeaders): McpConnection {
  const probe = prober({ fetch, wait: MAX_WAIT_MS, bytes: MAX_BYTES })
  const own: Probe = (url, request) =>
    probe(url, { ...request, headers: { ...request?.headers, ...headers } })
  const visit = { probe: own, url }
  let session: InspectHeaders = {}
  let opening: ProbeAnswer | undefined

  async function request(message: McpMessage, { version, isModern }: SentAs): Promise<McpReply> {
    const named = isModern && { 'mcp-method': message.method }
    const answer = await send(visit, message, {
      'mcp-protocol-version': version,
      ...named,
      ...session,
    })
    if (answer.failure) throw new CommandFailure(`${url.host}: ${answer.failure.seen}`)
    if (answer.status === 401) throw refusal(answer, headers)
    if (isRedirect(answer)) throw new CommandFailure('It redirects to another URL. Use that one.')
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

function refusal(answer: ProbeAnswer, headers: InspectHeaders): CommandFailure {
  if (headers.authorization) return new CommandFailure('It rejects this key (401).')
  const how = bearerOf(answer)?.resource_metadata
    ? 'It needs a sign-in (401): hosts open a page for it.'
    : 'It needs a key (401).'
  return new CommandFailure(
    `${how} If you have a key or a token, name its variable: --key-env NAME.`,
  )
}
