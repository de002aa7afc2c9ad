import { codes, isObject, Json, RpcError, type RpcParams, ToolError } from '../wire/jsonrpc.ts'
import { forRevision, type Revision } from '../wire/revisions.ts'
import { type Read, read, type Schema, toJsonSchema } from '../wire/schema.ts'
import { type Content, contentForRevision, type Icon } from './content.ts'
import type { Context } from './context.ts'
import { InputRequired } from './input.ts'

/** What effects a tool has. Hosts use this to decide whether to ask a person first. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** One thing a model can do. Made with {@link tool}. */
export interface Tool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly input: Schema
  readonly output?: Schema
  readonly annotations?: ToolAnnotations
  readonly icons?: readonly Icon[]
  /** Not listed. For a name that models try anyway: the tool says what to do instead. */
  readonly unlisted?: boolean
  /**
   * A call becomes a task that outlives its request, and the client asks how it is going
   * (SEP-2663). `optional`: only for clients that have tasks. `required`: clients without tasks are
   * refused. If the server keeps no tasks, and in the legacy era, the tool just runs.
   */
  readonly task?: 'optional' | 'required'
  /**
   * Asks the client before a task begins. If this returns an {@link InputRequired}, the client is
   * asked; after anything else, the task begins. `run` asks the same questions and finds the
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
    ask?(input: Read<Input>, context: Context): unknown
    run(input: Read<Input>, context: Context): unknown
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

/** What a client asks for: a tool by name, or a resource. */
export interface Asked {
  readonly method: 'tools/call' | 'resources/read'
  /** The name as the client sent it, whatever it is. */
  readonly tool?: unknown
}

/**
 * Runs around each call of a server, to bound and to record it. It gives back what `run` does. It may
 * refuse the call of a tool with a {@link ToolError}.
 */
export type Around = (
  asked: Asked,
  context: Context,
  run: () => Promise<RpcParams | InputRequired>,
) => Promise<RpcParams | InputRequired>

/** Nothing runs around a call. */
export const justRun: Around = (_, __, run) => run()

/**
 * Calls the tool that `params` names. Its failures are results; an unknown tool is an error.
 *
 * @param run Runs the tool after its input was read.
 */
export async function callTool(
  tools: readonly Tool[],
  params: RpcParams,
  context: Context,
  run = runTool,
  around = justRun,
): Promise<RpcParams | InputRequired> {
  try {
    const asked: Asked = { method: 'tools/call', tool: params.name }
    return await around(asked, context, () => callFound(tools, params, context, run))
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
  if (!found) throw new RpcError(codes.invalidParams, unknownTool(tools, params.name))
  const input = read(found.input, argumentsOf(params.arguments))
  if (input.fault !== undefined) {
    const message = `The arguments of ${found.name} do not fit its schema.\n${input.fault}`
    if (context.revision.argumentErrors === 'rpc') throw new RpcError(codes.invalidParams, message)
    return failed(message)
  }
  try {
    return await run(found, input.value, context)
  } catch (error) {
    if (error instanceof RpcError) throw error
    if (error instanceof ToolError) return failed(error.message)
    const reference = crypto.randomUUID().slice(0, 8)
    console.error(`${found.name} failed (${reference})`, error)
    return failed(`${found.name} failed for a reason that was logged as ${reference}.`)
  }
}

/** Runs a tool until its result or its next question. */
export async function runTool(
  it: Tool,
  input: unknown,
  context: Context,
): Promise<RpcParams | InputRequired> {
  const value = await it.run(input, context)
  return value instanceof InputRequired ? value : resultOf(value, context.revision)
}

function resultOf(value: unknown, revision: Revision): RpcParams {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] }
  const { content, structured } =
    value instanceof ToolResult ? value : { content: undefined, structured: value }
  // A host shows the model either the text or the structure, so both hold the same.
  const json = structured === undefined ? undefined : new Json(JSON.stringify(structured))
  return forRevision(
    {
      content: content?.map((it) => contentForRevision(it, revision)) ?? [
        { type: 'text', text: json?.text ?? '' },
      ],
      structuredContent: json,
    },
    revision,
  )
}

const failed = (text: string): RpcParams => ({
  content: [{ type: 'text', text }],
  isError: true,
})

/** Some hosts omit the arguments, and some models send them as JSON in a string. */
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
      : 'Say which tool, as params.name.'
  const names = shown(tools)
    .slice(0, 20)
    .map((it) => it.name)
  return names.length ? `${asked} Tools here: ${names.join(', ')}.` : asked
}

/** The tools that are listed. */
export const shown = (tools: readonly Tool[]): readonly Tool[] =>
  tools.filter(({ unlisted }) => !unlisted)

const indexes = new WeakMap<readonly Tool[], Map<unknown, Tool>>()

/** The tool with this name. As fast among five hundred tools as among five. */
export function findTool(tools: readonly Tool[], name: unknown): Tool | undefined {
  let index = indexes.get(tools)
  if (!index) {
    index = new Map<unknown, Tool>(tools.map((it) => [it.name, it]))
    indexes.set(tools, index)
  }
  return index.get(name)
}
