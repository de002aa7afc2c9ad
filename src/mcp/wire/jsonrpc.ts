/**
 * JSON-RPC 2.0 messages as MCP uses them. `Request` and `Response` always mean the web's own; the
 * JSON-RPC ones are called `RpcRequest` and `RpcResponse`.
 *
 * @module
 */

import { exceededBodyBound, type Limits, limits } from './limits.ts'

export type RpcId = string | number

/** JSON-RPC params in MCP are always an object, never an array. */
export type RpcParams = Record<string, unknown>

export interface RpcRequest {
  readonly jsonrpc: '2.0'
  readonly id: RpcId
  readonly method: string
  readonly params?: RpcParams
}

export type RpcNotification = Omit<RpcRequest, 'id'>

export interface RpcResponse {
  readonly jsonrpc: '2.0'
  readonly id?: RpcId
  readonly result?: RpcParams
  readonly error?: {
    readonly code: number
    readonly message: string
    readonly data?: unknown
  }
}

export type RpcMessage = RpcRequest | RpcNotification | RpcResponse

/** Every error code this server puts on the wire (specification, "Error Codes"). */
export const codes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Legacy revisions only. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const

/**
 * An error that answers the request as a JSON-RPC error. If the model can act on it, use ToolError.
 */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown
  /** The id of the faulty message, if it could be read. */
  readonly id: RpcId | undefined

  constructor(code: number, message: string, data?: unknown, id?: RpcId) {
    super(message)
    this.code = code
    this.data = data
    this.id = id
  }
}

/**
 * What went wrong, in a sentence that the client may read: of a tool it becomes a result with `isError`, which the
 * model may act on; of anything else an error with the code -32603.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** Reads one body within bounds: a message, or a batch of them. Throws {@link RpcError}. */
export function parse(body: string, bounds: Limits = limits): RpcMessage | RpcMessage[] {
  const exceeded = exceededBodyBound(body, bounds)
  if (exceeded) throw new RpcError(codes.invalidRequest, exceeded)
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    throw new RpcError(codes.parse, 'The body is not JSON.')
  }
  if (!Array.isArray(value)) return checkMessage(value, bounds)
  if (value.length === 0) throw new RpcError(codes.invalidRequest, 'The batch is empty.')
  return value.map((it) => checkMessage(it, bounds))
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isRequest = (message: RpcMessage): message is RpcRequest =>
  'method' in message && 'id' in message

export const isNotification = (message: RpcMessage): message is RpcNotification =>
  'method' in message && !('id' in message)

/** JSON that is already written, so that a large value is serialized only once. */
export class Json {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Writes an object whose values may be {@link Json}. Fields that are undefined are left out. */
export function write(object: RpcParams): string {
  let text = ''
  for (const key in object) {
    const value = object[key]
    if (value === undefined) continue
    text += `${text ? ',' : ''}${JSON.stringify(key)}:`
    text += value instanceof Json ? value.text : JSON.stringify(value)
  }
  return `{${text}}`
}

/** The text of a successful response. */
export const success = (id: RpcId, result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`

/**
 * The text of an error response.
 *
 * @param id Null if no id could be read and the era says so; undefined leaves it out.
 */
export function failure(id: RpcId | null | undefined, error: RpcError): string {
  const { code, message, data } = error
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })
}

/**
 * Makes anything thrown an {@link RpcError}. An unexpected error goes to the log, under a reference;
 * the client reads only that. A {@link ToolError} says what the client reads.
 */
export function asRpcError(thrown: unknown): RpcError {
  if (thrown instanceof RpcError) return thrown
  const isTold = thrown instanceof ToolError
  return new RpcError(codes.internal, isTold ? thrown.message : unexpected(thrown))
}

/** Logs an unexpected error under a reference, and gives back the sentence that a stranger may read. */
export function unexpected(thrown: unknown): string {
  const reference = crypto.randomUUID().slice(0, 8)
  console.error(`Something went wrong (${reference})`, thrown)
  return `Something went wrong inside the server. It was logged as ${reference}.`
}

function checkMessage(value: unknown, bounds: Limits): RpcMessage {
  if (!isObject(value) || value.jsonrpc !== '2.0') {
    throw new RpcError(codes.invalidRequest, 'The body is not a JSON-RPC 2.0 message.')
  }
  const { id, method, params } = value
  // A client that could not read our message says so without an id.
  if (!method && isObject(value.error) && (id === null || id === undefined)) {
    return { jsonrpc: '2.0', error: value.error as RpcResponse['error'] & object }
  }
  // An integer past 2^53 would be echoed as another number.
  if ('id' in value && typeof id !== 'string' && !Number.isSafeInteger(id)) {
    throw new RpcError(codes.invalidRequest, 'The id of a message is a string or an integer.')
  }
  const fault = (code: number, message: string) =>
    new RpcError(code, message, undefined, id as RpcId | undefined)
  if (!('method' in value)) {
    const answers = isObject(value.result) || isObject(value.error)
    if ('id' in value && answers) return value as unknown as RpcResponse
    throw fault(codes.invalidRequest, 'The message has neither a method nor a result.')
  }
  if (typeof method !== 'string') {
    throw fault(codes.invalidRequest, 'The method of a message is a string.')
  }
  const long = tooLong(method, params, bounds)
  if (long) throw fault(codes.invalidParams, long)
  if (params === null) delete value.params
  else if (params !== undefined && !isObject(params)) {
    throw fault(codes.invalidParams, 'The params of a message are an object.')
  }
  return value as unknown as RpcMessage
}

function tooLong(
  method: string,
  params: unknown,
  { nameChars, uriChars }: Limits,
): string | undefined {
  if (method.length > nameChars) return `A method has at most ${nameChars} characters.`
  if (!isObject(params)) return undefined
  const isLong = (value: unknown, most: number) => typeof value === 'string' && value.length > most
  if (isLong(params.name, nameChars)) return `A name has at most ${nameChars} characters.`
  return isLong(params.uri, uriChars) ? `An address has at most ${uriChars} characters.` : undefined
}
