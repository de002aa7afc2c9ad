import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Site = (question: IncomingMessage, answer: ServerResponse) => void

/** A server that stands in for every host that the Worker can reach, with responses set by tests. */
export interface Internet {
  readonly address: string
  /** The site for each URL without its scheme, or for each host. Other URLs return 404. */
  readonly sites: Map<string, Site>
  /** The URLs that were requested, without their scheme. */
  readonly asked: string[]
  close(): void
}

export async function startInternet(): Promise<Internet> {
  const sites = new Map<string, Site>()
  const asked: string[] = []
  const server = createServer((question, answer) => {
    const url = `${question.headers.host}${question.url}`
    asked.push(url)
    const site =
      sites.get(url) ??
      sites.get(`${question.headers.host}`) ??
      ((_, it) => it.writeHead(404).end())
    site(question, answer)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  const { port } = server.address() as AddressInfo
  return { address: `127.0.0.1:${port}`, sites, asked, close }
}

/** A site that returns a document with this status and these headers. */
export const document =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Site =>
  (_, answer) => {
    const type = { 'content-type': 'application/json', ...headers }
    answer.writeHead(status, type).end(typeof body === 'string' ? body : JSON.stringify(body))
  }
