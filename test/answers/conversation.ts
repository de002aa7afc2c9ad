import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { shop } from './shop.ts'

/** A tool as a host shows it to its model. */
export interface Listed {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema: object
}

/** What a model reads of a call. */
export interface Reply {
  readonly text: string
  readonly isError: boolean
}

export type Arguments = Readonly<Record<string, unknown>>

/** What a model is told before its first call, and how it calls. */
export interface Host {
  readonly instructions: string
  readonly tools: readonly Listed[]
  call(name: string, args: Arguments): Promise<Reply>
  close(): Promise<void>
}

/** The eras, each as the client is told to keep to it. */
export const eras = {
  legacy: undefined,
  modern: { pin: '2026-07-28' },
} as const

export type Era = keyof typeof eras

/** Nobody waits longer for an answer of the demo store. */
const PATIENCE_MS = 30_000

/** Connects the official client, which also holds each answer against its tool's schema. */
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

/** What the tools and instructions cost, once a conversation: what a host hands to its model. */
export const costOf = ({ instructions, tools }: Host): number =>
  tokens(instructions) +
  tokens(
    JSON.stringify(
      tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    ),
  )

/** Tokens of a text, in the encoding o200k. */
export const tokens = (text: string): number => encode(text).length

/** The names of the store, which nobody knows who has not been told. */
const NAMES = new Set(
  Object.entries(shop).flatMap(([table, [row]]) => [table, ...Object.keys(row)]),
)

/** The work on one question: its calls, counted, and all that they told. */
export class Conversation {
  readonly host: Host
  readonly #asked: string
  readonly #told = new Set<string>()
  #texts = ''
  calls = 0
  tokens = 0
  /** Everything that was sent, a call a line. */
  sent = ''

  constructor(host: Host, asked: string) {
    this.host = host
    this.#asked = asked.toLowerCase()
  }

  /** A call as a model makes it. Counts what it costs: the arguments, and the text of the answer. */
  async call(name: string, args: Arguments): Promise<Reply> {
    const sent = JSON.stringify({ name, arguments: args })
    const reply = await this.host.call(name, args)
    this.calls += 1
    this.sent += `${sent}\n`
    // How long it took is no property of the answer.
    this.tokens += tokens(sent) + tokens(reply.text.replace(/"elapsedMs":\d+\}$/, '"elapsedMs":0}'))
    this.#hear(reply.text)
    return reply
  }

  /**
   * What stands in a call that nobody has told: names of the store that no answer has named, and
   * texts that are neither in the question nor in an answer.
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
    // Numbers, dates, codes, formats and truth are common knowledge.
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

/** The words of all texts in a value, without the keys of its objects. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsOf) : []
}
