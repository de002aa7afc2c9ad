/** Reads a body as text as far as `maxBytes`. Nothing if it is longer; the rest is not fetched. */
export async function readBody(response: Response, maxBytes: number): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  // An early return cancels the stream.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
