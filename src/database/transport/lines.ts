import { rowTooLarge } from '../error.ts'
import { chunks } from './body.ts'

/**
 * Yields the lines in a body as they arrive. Throws {@link DatabaseError} for a line longer than `maxLength`. A loop
 * that breaks cancels the body. Text after the last line feed is also a line, and probably an incomplete one.
 */
export async function* lines(response: Response, maxLength: number): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  // The pieces are joined once the line is complete, because a long line arrives in thousands of pieces.
  let pieces: string[] = []
  let length = 0
  for await (const chunk of chunks(response)) {
    const parts = decoder.decode(chunk, { stream: true }).split('\n')
    for (const [i, part] of parts.entries()) {
      if (i > 0) {
        yield pieces.join('')
        pieces = []
        length = 0
      }
      length += part.length
      if (length > maxLength) throw rowTooLarge()
      if (part) pieces.push(part)
    }
  }
  if (length > 0) yield pieces.join('')
}
