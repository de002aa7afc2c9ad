import { codes, RpcError } from './jsonrpc.ts'
import { Refusal } from './refusal.ts'

/** A body larger than this many times the limit is not read to its end. */
const OVERREAD_FACTOR = 16

/** Reads a body of at most `limit` bytes as text. Keeps nothing of a larger one. */
export async function readBody(request: Request, limit: number): Promise<string> {
  // HTTP delivers no more than the header announces. Reading it in one go costs a third.
  const announced = Number(request.headers.get('content-length') ?? Number.NaN)
  if (announced <= limit) return textOf(new Uint8Array(await request.arrayBuffer()))
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size <= limit) chunks.push(chunk)
    else chunks.length = 0
    if (size > limit * OVERREAD_FACTOR) break
  }
  if (size > limit) throw new Refusal(413, `The body is larger than ${limit} bytes.`)
  return textOf(join(chunks, size))
}

function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new RpcError(codes.parse, 'The body is not UTF-8.')
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}
