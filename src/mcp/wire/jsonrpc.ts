// JSON-RPC 2.0 messages as MCP uses them. `Request` and `Response` are always the HTTP types from the web platform.
// The JSON-RPC types are called `RpcRequest` and `RpcResponse`.
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

/** Every error code that this server sends (specification, "Error Codes"). */
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

/** An error that becomes a JSON-RPC error response. If the model can act on it, use ToolError. */
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

/** The error for params that do not fit the method. */
export const invalidParams = (message: string): RpcError =>
  new RpcError(codes.invalidParams, message)

/** The error for a message that is not a request, or that cannot be served here. */
export const invalidRequest = (message: string): RpcError =>
  new RpcError(codes.invalidRequest, message)

/**
 * A failure, with a message that the client can read. From a tool it becomes a result with `isError`, so that the
 * model can act on it. From anything else it becomes an error with the code -32603.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** Reads one body within bounds: a message, or a batch of them. Throws {@link RpcError}. */
export function parse(body: string, bounds: Limits = limits): RpcMessage | RpcMessage[] {
  const exceeded = exceededBodyBound(body, bounds)
  if (exceeded) throw invalidRequest(exceeded)
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    throw new RpcError(codes.parse, 'The body is not JSON.')
  }
  if (!Array.isArray(value)) return checkMessage(value, bounds)
  if (value.length === 0) throw invalidRequest('The batch is empty.')
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

/** Writes an object whose values can be {@link Json}. Undefined fields are left out. */
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

/** A notification as JSON. */
export const notification = (method: string, params: RpcParams): string =>
  JSON.stringify({ jsonrpc: '2.0', method, params })

/** A successful response as JSON. */
export const success = (id: RpcId, result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`

/**
 * An error response as JSON.
 *
 * @param id Null if the id could not be read and the era writes null for it. Undefined leaves it out.
 */
export function failure(id: RpcId | null | undefined, error: RpcError): string {
  const { code, message, data } = error
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })
}

/**
 * Turns any thrown value into an {@link RpcError}. An unexpected error is logged with a reference, and the
 * client sees only the reference. A {@link ToolError} keeps its message.
 */
export function asRpcError(thrown: unknown): RpcError {
  if (thrown instanceof RpcError) return thrown
  const isTold = thrown instanceof ToolError
  return new RpcError(codes.internal, isTold ? thrown.message : unexpected(thrown))
}

/** Logs an unexpected error with a reference, and returns a message that is safe to show to strangers. */
export function unexpected(thrown: unknown): string {
  return `Something went wrong inside the server. It was logged as ${logged('Something went wrong', thrown)}.`
}

/** Logs an error, and returns its reference in the log. */
export function logged(what: string, thrown: unknown): string {
  const reference = crypto.randomUUID().slice(0, 8)
  console.error(`${what} (${reference})`, thrown)
  return reference
}

function checkMessage(value: unknown, bounds: Limits): RpcMessage {
  if (!isObject(value) || value.jsonrpc !== '2.0') {
    throw invalidRequest('The body is not a JSON-RPC 2.0 message.')
  }
  const { id, method, params } = value
  // A client that could not read our message reports that without an id.
  if (!method && isObject(value.error) && (id === null || id === undefined)) {
    return { jsonrpc: '2.0', error: value.error as RpcResponse['error'] & object }
  }
  // An integer above 2^53 would be echoed as a different number.
  if ('id' in value && typeof id !== 'string' && !Number.isSafeInteger(id)) {
    throw invalidRequest('The id of a message must be a string or an integer.')
  }
  const fault = (code: number, message: string) =>
    new RpcError(code, message, undefined, id as RpcId | undefined)
  if (!('method' in value)) {
    const answers = isObject(value.result) || isObject(value.error)
    if ('id' in value && answers) return value as unknown as RpcResponse
    throw fault(codes.invalidRequest, 'The message has neither a method nor a result.')
  }
  if (typeof method !== 'string') {
    throw fault(codes.invalidRequest, 'The method of a message must be a string.')
  }
  const long = tooLong(method, params, bounds)
  if (long) throw fault(codes.invalidParams, long)
  if (params === null) delete value.params
  else if (params !== undefined && !isObject(params)) {
    throw fault(codes.invalidParams, 'The params of a message must be an object.')
  }
  return value as unknown as RpcMessage
}

function tooLong(
  method: string,
  params: unknown,
  { nameChars, uriChars }: Limits,
): string | undefined {
  if (method.length > nameChars) return `A method can have at most ${nameChars} characters.`
  if (!isObject(params)) return undefined
  const isLong = (value: unknown, most: number) => typeof value === 'string' && value.length > most
  if (isLong(params.name, nameChars)) return `A name can have at most ${nameChars} characters.`
  return isLong(params.uri, uriChars) ? `A uri can have at most ${uriChars} characters.` : undefined
}
