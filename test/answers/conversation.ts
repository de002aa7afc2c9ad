import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { shop } from './shop.ts'

/** A tool, as a host presents it to its model. */
export interface Listed {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema: object
}

/** The result of a call, as a model reads it. */
export interface Reply {
  readonly text: string
  readonly isError: boolean
}

export type Arguments = Readonly<Record<string, unknown>>

/** Everything that a model gets before its first call, and a way to call tools. */
export interface Host {
  readonly instructions: string
  readonly tools: readonly Listed[]
  call(name: string, args: Arguments): Promise<Reply>
  close(): Promise<void>
}

/** The protocol eras, each with the client's option for it. */
export const eras = {
  legacy: undefined,
  modern: { pin: '2026-07-28' },
} as const

export type Era = keyof typeof eras

/** The timeout for an answer of the demo store. */
const PATIENCE_MS = 30_000

/** Connects the official client, which also validates each answer with the tool's schema. */
export async function connect(url: string, era: Era): Promise<Host> {
  const mode = eras[era]
  const client = new Client(
    { name: 'answers', version: '1' },
    mode && { versionNegotiation: { mode } },
  )
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  if (client.getProtocolEra() !== era) throw new Error(`This is not the ${era} era.`)
  const { tools } = await client.listTools()
  return {
    instructions: client.getInstructions() ?? '',
    tools,
    async call(name, args) {
      const params = { name, arguments: { ...args } }
      const { content, isError } = await client.callTool(params, { timeout: PATIENCE_MS })
      const [block] = content
      if (content.length !== 1 || block?.type !== 'text') throw new Error('No single text.')
      return { text: block.text, isError: isError === true }
    },
    close: () => client.close(),
  }
}

/** The cost of the tools and instructions, which a host sends to its model once in a conversation. */
export const costOf = ({ instructions, tools }: Host): number =>
  tokens(instructions) +
  tokens(
    JSON.stringify(
      tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    ),
  )

/** The number of tokens of a text, in the encoding o200k. */
export const tokens = (text: string): number => encode(text).length

/** The names of tables and columns in the store, which a reader can only learn from answers. */
const NAMES = new Set(
  Object.entries(shop).flatMap(([table, [row]]) => [table, ...Object.keys(row)]),
)

/** The work on one question: the number of its calls, and everything that their answers mentioned. */
export class Conversation {
  readonly host: Host
  readonly #asked: string
  readonly #told = new Set<string>()
  #texts = ''
  calls = 0
  tokens = 0
  /** Everything that was sent, with one call on each line. */
  sent = ''

  constructor(host: Host, asked: string) {
    this.host = host
    this.#asked = asked.toLowerCase()
  }

  /** Calls a tool like a model, and counts the cost of the arguments and of the answer's text. */
  async call(name: string, args: Arguments): Promise<Reply> {
    const sent = JSON.stringify({ name, arguments: args })
    const reply = await this.host.call(name, args)
    this.calls += 1
    this.sent += `${sent}\n`
    // The duration is not part of the answer.
    this.tokens += tokens(sent) + tokens(reply.text.replace(/"elapsedMs":\d+\}$/, '"elapsedMs":0}'))
    this.#hear(reply.text)
    return reply
  }

  /**
   * Everything in a call that the reader cannot know: names of the store that no answer has mentioned,
   * and strings that are neither in the question nor in an answer.
   */
  untold(args: Arguments): readonly string[] {
    const { sql, search: _, params: __, where, ...rest } = args
    const columns = Array.isArray(where) ? where.map((it) => it.column) : []
    const values = Array.isArray(where) ? where.flatMap((it) => it.value) : []
    const text = typeof sql === 'string' ? sql : ''
    const literals = [...text.matchAll(/'((?:[^']|'')*)'/g)].map(([, it = '']) => it)
    const bare = text.replace(/'(?:[^']|'')*'/g, "''")
    const names = wordsOf([bare, rest, columns]).filter((it) => NAMES.has(it))
    return [
      ...names.filter((it) => !this.#told.has(it)),
      ...[...literals, ...values].filter((it) => typeof it === 'string' && !this.#knows(it)),
    ]
  }

  #knows(literal: string): boolean {
    // Numbers, dates, codes, formats and booleans are common knowledge.
    if (/^[^a-z]*$|^[+-]?\d|%|^(?:true|false)$/.test(literal)) return true
    const text = literal.replaceAll("''", "'")
    return this.#asked.includes(text.toLowerCase()) || this.#texts.includes(text)
  }

  #hear(text: string): void {
    this.#texts += `${text}\n`
    const value = text.startsWith('{') ? JSON.parse(text) : text
    for (const word of wordsOf(value)) this.#told.add(word)
  }
}

/** The words of all strings in a value, without the keys of objects. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsOf) : []
}
