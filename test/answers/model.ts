import type { Conversation, Host } from './conversation.ts'
import type { Respondent } from './evaluate.ts'
import type { Answer } from './grade.ts'

/** The settings of a model with OpenAI's chat completions API, which most other vendors also support. */
export interface Settings {
  /** The name of the model. Without a name, no model is used. */
  readonly ANSWERS_MODEL?: string
  /** The URL of the API. The default is https://api.openai.com/v1/chat/completions. */
  readonly ANSWERS_URL?: string
  readonly ANSWERS_KEY?: string
}

const OPENAI = 'https://api.openai.com/v1/chat/completions'

/** The maximum number of turns for one question. */
const TURNS = 16

/** The timeout for one response. */
const PATIENCE_MS = 120_000

const TASK = `Answer the question with the tools. When you know the answer, end with one line that begins with "ANSWER: " and then holds nothing but the answer as JSON: a number, a string, true or false, null, or a list of these. Round nothing that you are not asked to round.`

interface Call {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: string }
}

interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | null
  readonly tool_calls?: readonly Call[]
  readonly tool_call_id?: string
}

/** The model that the environment names, or undefined if it names none. */
export function modelOf(settings: Settings): Respondent | undefined {
  const { ANSWERS_MODEL: model, ANSWERS_URL: url = OPENAI, ANSWERS_KEY: key } = settings
  if (!model) return undefined
  return async ({ asks }, conversation) => {
    const tools = conversation.host.tools.map(asFunction)
    const messages: Message[] = [
      { role: 'system', content: `${conversation.host.instructions}\n\n${TASK}` },
      { role: 'user', content: asks },
    ]
    for (let turn = 0; turn < TURNS; turn++) {
      const said = await complete(url, key, { model, messages, tools })
      messages.push(said)
      const calls = said.tool_calls ?? []
      if (calls.length === 0) return answerOf(said.content ?? '')
      for (const call of calls) messages.push(await answered(call, conversation))
    }
    throw new Error(`It has not answered in ${TURNS} turns.`)
  }
}

const asFunction = ({ name, description, inputSchema }: Host['tools'][number]) => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
})

/** The next message of the model. */
async function complete(url: string, key: string | undefined, body: object): Promise<Message> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  if (!response.ok) throw new Error(`The model's server says ${response.status}.`)
  // biome-ignore lint/suspicious/noExplicitAny: a vendor's answer
  const message: Message | undefined = ((await response.json()) as any).choices?.[0]?.message
  if (!message) throw new Error("The model's server sends no message.")
  return message
}

/** Runs a call of the model, and returns the message with its result. */
async function answered(
  { id, function: called }: Call,
  conversation: Conversation,
): Promise<Message> {
  let content: string
  try {
    const args = JSON.parse(called.arguments || '{}')
    content = (await conversation.call(called.name, args)).text
  } catch (error) {
    // Invalid JSON, or an unknown tool: the model can try again.
    content = error instanceof Error ? error.message : String(error)
  }
  return { role: 'tool', tool_call_id: id, content }
}

/** The answer in the last line that is marked as the answer. */
function answerOf(text: string): Answer {
  const line = text.split('\n').findLast((it) => /^\W*ANSWER:/.test(it))
  if (line === undefined) throw new Error(`It ends without an answer: ${text.slice(-200)}`)
  const json = line.replace(/^\W*ANSWER:\s*/, '').replace(/[*`\s]+$/, '')
  try {
    return JSON.parse(json) as Answer
  } catch {
    return json
  }
}
