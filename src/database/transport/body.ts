/** Maximum size of a response in bytes. A larger one would leave a Worker too little memory for other requests. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024

/** Reads a body as text. If it is longer than `maxBytes`, returns undefined and stops reading. */
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

/** Parses a string as a JSON object. Undefined for any other string. */
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
  /** Waits for at least this many bytes, or for the end. Only the Workers runtime has this method. */
  readAtLeast?(least: number, view: Uint8Array): Promise<ReadableStreamReadResult<Uint8Array>>
  cancel(): Promise<void>
}

/**
 * Reads a body in large chunks, even if the server sends small chunks. In the Workers runtime, reading each
 * small chunk as it arrives costs five times as much as handling its rows. A loop that breaks cancels the
 * body.
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
