/** Reads a body as text as far as `maxBytes`. Nothing if it is longer; the rest is not fetched. */
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

/** What a text is as JSON, if that is an object. */
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
  /** Of the Workers runtime alone: it waits until there is so much, or the end. */
  readAtLeast?(least: number, view: Uint8Array): Promise<ReadableStreamReadResult<Uint8Array>>
  cancel(): Promise<void>
}

/**
 * A body in chunks of some size, however small those are in which a server sends it: to read each as
 * it comes costs the Workers runtime five times what is done with its rows. Whoever stops reading
 * cancels the body.
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
