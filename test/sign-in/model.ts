import { json } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { listen } from './front.ts'

/**
 * A model for a program that needs one. It calls one tool, and calls it again until it works, since a program
 * can ask its model before it is connected.
 */
export interface Model {
  /** The base URL for its chat completions. */
  readonly url: string
  /** The tool's last result. */
  told(): string
  stop(): void
}

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

/** The maximum number of calls to the tool, and the thinking time before each. */
const CALLS = 40
const THINKS_MS = 250

/**
 * @param name the tool, as the program calls it
 * @param works text that a result contains only on success
 * @param input the tool's input
 */
export async function startModel(name: string, works: string, input: object = {}): Promise<Model> {
  let told = ''
  const answer = ({ messages }: Asked) => {
    const said = messages.filter(({ role }) => role === 'tool')
    told = JSON.stringify(said.at(-1)?.content ?? '')
    if (told.includes(works) || said.length === CALLS) {
      return { delta: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' }
    }
    const call = {
      index: 0,
      id: `call_${said.length}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }
    return { delta: { role: 'assistant', tool_calls: [call] }, finish_reason: 'tool_calls' }
  }
  const { port, close } = await listen(async (request, response) => {
    await setTimeout(THINKS_MS)
    const choice = { index: 0, ...answer((await json(request)) as Asked) }
    const about = { id: 'answer', object: 'chat.completion.chunk', created: 0, model: 'test' }
    const chunk = JSON.stringify({ ...about, choices: [choice] })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`data: ${chunk}\n\ndata: [DONE]\n\n`)
  })
  return { url: `http://127.0.0.1:${port}/v1`, told: () => told, stop: close }
}
