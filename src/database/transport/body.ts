/** Bytes of an answer: more would leave a Worker too little memory to serve others. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024

/** Reads a body as text. If it is longer than `maxBytes`, it returns nothing and fetches no more. */
export async function readBody(response: Response, maxBytes: number): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of chunks(response)) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** Parses a text as a JSON object. Returns nothing for all other texts. */
export function objectOf<T extends object>(text = ''): T | undefined {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value ? value : undefined
  } catch {
    return undefined
  }
}

const CHUNK_BYTES = 32 * 1024

interface Reader {
  read(view: Uint8Array): Promise<ReadableStreamReadResult<Uint8Array>>
  /** Only the Workers runtime has it. It waits for at least this many bytes, or for the end. */
  readAtLeast?(least: number, view: Uint8Array): Promise<ReadableStreamReadResult<Uint8Array>>
  cancel(): Promise<void>
}

/**
 * Reads a body in large chunks, even if the server sends small ones. In the Workers runtime, to read
 * each as it comes costs five times what is done with its rows. A loop that breaks cancels the body.
 */
export async function* chunks({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader({ mode: 'byob' }) as Reader | undefined
  let ended = !reader
  try {
    while (!ended) {
      const view = new Uint8Array(CHUNK_BYTES)
      const { value, done } = await (reader!.readAtLeast?.(CHUNK_BYTES, view) ?? reader!.read(view))
      ended = done
      if (value) yield value
    }
  } finally {
    if (!ended) await reader!.cancel()
  }
}
