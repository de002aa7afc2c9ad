import {
  invalidParams,
  isObject,
  Json,
  logged,
  RpcError,
  type RpcParams,
  ToolError,
} from '../wire/jsonrpc.ts'
import { existsIn, forRevision, type Revision } from '../wire/revisions.ts'
import { type ReadBy, read, type Schema, toJsonSchema } from '../wire/schema.ts'
import { type Content, contentForRevision, type Icon } from './content.ts'
import type { Context } from './context.ts'
import { InputRequired } from './input.ts'

/** A tool's effects. Hosts use them to decide whether to ask a person first. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** One action that a model can take. Made with {@link tool}. */
export interface Tool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly input: Schema
  readonly output?: Schema
  readonly annotations?: ToolAnnotations
  readonly icons?: readonly Icon[]
  /** Hides the tool from lists. Meant for a name that models try anyway: the tool says what to do instead. */
  readonly unlisted?: boolean
  /**
   * Turns a call into a task that outlives its request, whose status the client then polls
   * (SEP-2663). `optional`: only for clients that support tasks. `required`: other clients get an error.
   * On a server without tasks, and in the legacy era, the tool just runs.
   */
  readonly task?: 'optional' | 'required'
  /**
   * Asks the client before a task begins. If this returns an {@link InputRequired}, the client is
   * asked. After any other value, the task begins. `run` asks the same questions and finds the
   * answers.
   */
  // biome-ignore lint/suspicious/noExplicitAny: as with run
  ask?(input: any, context: Context): unknown
  /**
   * Returns a string for text, a plain object for structured content, or a {@link ToolResult}.
   * Returns an {@link InputRequired} to run again with the client's answers. Throws a {@link
   * ToolError} to tell the model what went wrong.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a list of tools holds many inputs; tool() checks each
  run(input: any, context: Context): unknown
}

/**
 * Defines a tool, inferring the type of `input` from its schema.
 *
 * @example
 *
 * ```ts
 * const divide = tool({
 *   name: 'divide',
 *   description: 'Divide a by b.',
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   run({ a, b }) {
 *     if (b === 0) throw new ToolError('b must not be zero.')
 *     return { quotient: a / b }
 *   },
 * })
 * ```
 */
export function tool<const Input extends Schema>(
  definition: Omit<Tool, 'input' | 'ask' | 'run'> & {
    readonly input: Input
    ask?(input: ReadBy<Input>, context: Context): unknown
    run(input: ReadBy<Input>, context: Context): unknown
  },
): Tool {
  return definition
}

/** Content of any type, for when a string or an object is not enough. */
export class ToolResult {
  readonly content: readonly Content[]
  readonly structured: Readonly<Record<string, unknown>> | undefined

  constructor(content: readonly Content[], structured?: Readonly<Record<string, unknown>>) {
    this.content = content
    this.structured = structured
  }
}

/** A tool as `tools/list` shows it in one revision. */
export const describeTool = (it: Tool, revision: Revision): object =>
  forRevision(
    {
      name: it.name,
      title: it.title,
      description: it.description,
      inputSchema: toJsonSchema(it.input, 'input'),
      outputSchema: it.output && toJsonSchema(it.output, 'output'),
      annotations: it.annotations && {
        // Revisions without the field `title` look for it here.
        ...('title' in forRevision({ title: it.title }, revision) ? {} : { title: it.title }),
        ...it.annotations,
      },
      icons: it.icons,
    },
    revision,
  )

/** The target of a client's request: a tool by name, or a resource. */
export interface CallTarget {
  readonly method: 'tools/call' | 'resources/read'
  /** The name as the client sent it, of any type. */
  readonly tool?: unknown
}

/**
 * Wraps each call to a server, to limit and record it. Returns the result of `run`. It can refuse a tool
 * call with a {@link ToolError}. It can pass `run` a context with facts of its own. Otherwise the handler
 * gets the original context.
 */
export type Around = (
  asked: CallTarget,
  context: Context,
  run: (own?: Context) => Promise<RpcParams | InputRequired>,
) => Promise<RpcParams | InputRequired>

/** Runs a call unwrapped. */
export const justRun: Around = (_, __, run) => run()

/** Calls the tool that `params` names. Failures of the tool are results. An unknown tool is an error. */
export async function callTool(
  tools: readonly Tool[],
  params: RpcParams,
  context: Context,
  run = runTool,
  around = justRun,
): Promise<RpcParams | InputRequired> {
  try {
    const asked: CallTarget = { method: 'tools/call', tool: params.name }
    return await around(asked, context, (own = context) => callFound(tools, params, own, run))
  } catch (error) {
    if (error instanceof ToolError) return failed(error.message)
    throw error
  }
}

async function callFound(
  tools: readonly Tool[],
  params: RpcParams,
  context: Context,
  run: typeof runTool,
): Promise<RpcParams | InputRequired> {
  const found = findTool(tools, params.name)
  if (!found) throw invalidParams(unknownTool(tools, params.name))
  const input = read(found.input, argumentsOf(params.arguments))
  if (input.fault !== undefined) {
    const message = `The arguments of ${found.name} do not match its schema.\n${input.fault}`
    if (context.revision.argumentErrors === 'rpc') throw invalidParams(message)
    return failed(message)
  }
  try {
    return await run(found, input.value, context)
  } catch (error) {
    if (error instanceof RpcError) throw error
    if (error instanceof ToolError) return failed(error.message)
    const reference = logged(`${found.name} failed`, error)
    return failed(`${found.name} failed for a reason that was logged as ${reference}.`)
  }
}

/** Runs a tool until it returns its result or its next question. */
export async function runTool(
  it: Tool,
  input: unknown,
  context: Context,
): Promise<RpcParams | InputRequired> {
  const value = await it.run(input, context)
  return value instanceof InputRequired ? value : resultOf(value, context)
}

/**
 * Clients that give the model both the text and the structured content, and truncate the two together. They get
 * only the structured content, which their library requires from a tool with a schema.
 */
const GIVE_BOTH = ['@cline/core']

/** Revisions in which results have structured content. */
const STRUCTURE = { since: '2025-06-18' }

function resultOf(value: unknown, { revision, client }: Context): RpcParams {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] }
  const { content, structured } =
    value instanceof ToolResult ? value : { content: undefined, structured: value }
  // A host shows the model either the text or the structured content, so both contain the same data.
  const json = structured === undefined ? undefined : new Json(JSON.stringify(structured))
  const all = content ?? [{ type: 'text' as const, text: json?.text ?? '' }]
  const isTwice = json && existsIn(STRUCTURE, revision) && GIVE_BOTH.includes(client.name ?? '')
  const sent = isTwice ? all.filter(({ type }) => type !== 'text') : all
  return forRevision(
    {
      content: sent.map((it) => contentForRevision(it, revision)),
      structuredContent: json,
    },
    revision,
  )
}

const failed = (text: string): RpcParams => ({
  content: [{ type: 'text', text }],
  isError: true,
})

/** Reads the arguments. Some hosts omit them, and some models send them as JSON in a string. */
function argumentsOf(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? {}
  try {
    const parsed: unknown = JSON.parse(value)
    return isObject(parsed) ? parsed : value
  } catch {
    return value
  }
}

function unknownTool(tools: readonly Tool[], name: unknown): string {
  const asked =
    typeof name === 'string'
      ? `There is no tool ${JSON.stringify(name.slice(0, 80))}.`
      : 'Name the tool in params.name.'
  const names = shown(tools)
    .slice(0, 20)
    .map((it) => it.name)
  return names.length ? `${asked} Tools here: ${names.join(', ')}.` : asked
}

/** The tools that are listed. */
export const shown = (tools: readonly Tool[]): readonly Tool[] =>
  tools.filter(({ unlisted }) => !unlisted)

export const findTool = (tools: readonly Tool[], name: unknown): Tool | undefined =>
  tools.find((it) => it.name === name)
