import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A request and its response. */
export interface Exchange {
  /** Method and path. */
  readonly asked: string
  readonly status: number
  /** The sign-in request without its secrets, and its response if it failed. */
  readonly about: string
}

/** An address that stays the same when the server behind it restarts. It records the traffic. */
export interface Front {
  readonly url: string
  /** In the order of the responses. */
  readonly exchanges: Exchange[]
  /** Announces this lifetime in seconds with the next access token. */
  tellNextLife(seconds: number): void
  close(): void
}

/** The endpoints whose requests are recorded completely. */
const NOTED: ReadonlySet<string> = new Set(['/token', '/register'])

/** @param port the port to which requests are forwarded */
export async function startFront(port: () => number): Promise<Front> {
  const exchanges: Exchange[] = []
  let life: number | undefined

  const pass = async (asked: string, sent: string, response: IncomingMessage) => {
    const status = response.statusCode ?? 0
    const text = (await buffer(response)).toString()
    const about = asked.endsWith('/token') ? withoutSecrets(sent) : sent
    exchanges.push({ asked, status, about: status < 400 ? about : `${about} -> ${text}` })
    if (life === undefined || !text.includes('"expires_in":')) return text
    const told = `"expires_in":${life}`
    life = undefined
    return text.replace(/"expires_in":\d+/, told)
  }

  const forward = (question: IncomingMessage, answer: ServerResponse) => {
    const { method = '', url = '', headers } = question
    const path = url.split('?')[0] ?? ''
    const asked = `${method} ${path}`
    const sent = NOTED.has(path) ? buffer(question) : undefined
    const take = async (response: IncomingMessage) => {
      const status = response.statusCode ?? 0
      if (sent) {
        const text = await pass(asked, (await sent).toString(), response)
        const { 'content-length': _, 'transfer-encoding': __, ...rest } = response.headers
        answer.writeHead(status, rest).end(text)
        return
      }
      exchanges.push({ asked, status, about: '' })
      answer.writeHead(status, response.rawHeaders)
      response.pipe(answer)
    }
    const to = { host: '127.0.0.1', port: port(), method, path: url, headers }
    const inner = request(to, (response) => void take(response).catch(() => answer.destroy()))
    inner.on('error', () => answer.destroy())
    answer.on('close', () => inner.destroy())
    if (sent) void sent.then((it) => inner.end(it)).catch(() => inner.destroy())
    else question.pipe(inner)
  }

  const server = await listen(forward)
  return {
    url: `http://127.0.0.1:${server.port}`,
    exchanges,
    tellNextLife(seconds) {
      life = seconds
    },
    close: server.close,
  }
}

/** The token endpoint's parameters that contain no secret. */
const PLAIN: ReadonlySet<string> = new Set([
  ...['grant_type', 'client_id', 'redirect_uri', 'resource', 'scope'],
])

const withoutSecrets = (form: string): string =>
  [...new URLSearchParams(form)]
    .map(([name, value]) => (PLAIN.has(name) ? `${name}=${value}` : name))
    .join(' ')

/** Serves on a free port on this machine. */
export async function listen(act: RequestListener) {
  const server = createServer(act).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { port: (server.address() as AddressInfo).port, close }
}
