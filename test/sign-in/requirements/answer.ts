/** A response that has been read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look at responses of every shape
  json(): any
}

/** Reads a response to its end. */
export async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  const { status, headers } = response
  return { status, headers, text, json: () => JSON.parse(text) }
}
