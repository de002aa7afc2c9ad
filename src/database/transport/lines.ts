import { rowTooLarge } from '../error.ts'
import { chunks } from './body.ts'

/**
 * The lines of a body as they arrive, none longer than `maxLength`. A loop that breaks cancels the
 * body. What follows the last line feed is also a line, and probably a broken one.
 */
export async function* lines(response: Response, maxLength: number): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  // Joined once a line is whole: a long one comes in thousands of pieces.
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
