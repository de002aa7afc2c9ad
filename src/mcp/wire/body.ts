import { codes, RpcError } from './jsonrpc.ts'
import { Refusal } from './refusal.ts'

/** A body larger than this many times the limit is not read to the end. */
const OVERREAD_FACTOR = 16

/** Time that a client has to send a whole body. Proxies give up earlier. */
const BODY_MS = 100_000

/** Maximum number of bytes that are read and dropped from a refused body. */
export const MAX_DRAINED_BYTES = 16 * 1024 * 1024

/** Reads a body of at most `limit` bytes as text. Discards a larger one. Throws {@link Refusal}. */
export async function readBody(request: Request, limit: number, ms = BODY_MS): Promise<string> {
  // HTTP delivers no more than the header announces. Reading the body in one go costs a third as much.
  const announced = Number(request.headers.get('content-length') ?? Number.NaN)
  if (announced <= limit) return textOf([await wholeOf(request, ms)])
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of piecesOf(request, ms)) {
    size += chunk.byteLength
    if (size <= limit) chunks.push(chunk)
    else chunks.length = 0
    if (size > limit * OVERREAD_FACTOR) break
  }
  if (size > limit) throw new Refusal(413, `The body is larger than ${limit} bytes.`)
  return textOf(chunks)
}

/** Chunks of a body, within the time limit. Throws {@link Refusal}, because a disconnect is the client's fault. */
export async function* piecesOf({ body }: Request, ms = BODY_MS): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined
  if (!reader) return
  let isLate = false
  const stop = () => reader.cancel().catch(() => {})
  const timer = setTimeout(() => {
    isLate = true
    void stop()
  }, ms)
  let isOver = false
  try {
    while (!isOver) {
      // When a body is canceled, some platforms report its end and others report an error.
      const { done, value } = await reader
        .read()
        .catch((error: unknown) => (isLate ? ENDED : broken(error)))
      if (isLate) throw tooSlow(ms)
      isOver = done
      if (value) yield value
    }
  } finally {
    clearTimeout(timer)
    if (!isOver) void stop()
  }
}

/** Reads a refused body and drops it. If the response came too early, local servers would drop the connection. */
export async function drain(request: Request): Promise<void> {
  // Code that has begun to read the body continues.
  if (!request.body || request.body.locked) return
  let read = 0
  try {
    for await (const chunk of piecesOf(request)) {
      read += chunk.byteLength
      if (read > MAX_DRAINED_BYTES) return
    }
  } catch {
    // Nobody waits for the rest of the body.
  }
}

async function wholeOf(request: Request, ms: number): Promise<Uint8Array> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(tooSlow(ms)), ms)
  try {
    return new Uint8Array(await Promise.race([request.arrayBuffer().catch(broken), late]))
  } finally {
    clearTimeout(timer)
  }
}

const ENDED = { done: true, value: undefined } as const

const tooSlow = (ms: number) =>
  new Refusal(408, `The body did not arrive within ${ms / 1000} seconds. Send it again.`)

function broken(error: unknown): never {
  throw error instanceof Refusal
    ? error
    : new Refusal(400, 'The body is incomplete. Send it again.')
}

function textOf(chunks: readonly Uint8Array[]): string {
  const text = decoded(chunks)
  if (text !== undefined) return text
  throw new RpcError(codes.parse, 'The body is not UTF-8.')
}

/** Decodes chunks of UTF-8. Returns undefined if they are not UTF-8. */
export function decoded(chunks: readonly Uint8Array[]): string | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  try {
    const texts = chunks.map((it) => decoder.decode(it, { stream: true }))
    return texts.join('') + decoder.decode()
  } catch {
    return undefined
  }
}
