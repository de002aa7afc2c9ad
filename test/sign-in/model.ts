import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A model for a program that cannot do without one. It says one word, and keeps the tools it was offered. */
export interface Model {
  /** The base of its chat completions. */
  readonly url: string
  readonly offered: readonly string[]
  stop(): void
}

interface Asked {
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
}

export async function startModel(): Promise<Model> {
  const offered: string[] = []
  const server = createServer(async (request, response) => {
    const { tools = [] } = (await json(request)) as Asked
    offered.push(...tools.map((it) => it.function.name))
    const chunk = (choice: object) => {
      const about = { id: 'answer', object: 'chat.completion.chunk', created: 0, model: 'test' }
      return `data: ${JSON.stringify({ ...about, choices: [{ index: 0, ...choice }] })}\n\n`
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk({ delta: { role: 'assistant', content: 'Done' }, finish_reason: null }))
    response.write(chunk({ delta: {}, finish_reason: 'stop' }))
    response.end('data: [DONE]\n\n')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    offered,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
