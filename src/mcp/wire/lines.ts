import { decoded } from './body.ts'

const LINE_FEED = 0x0a

/**
 * Splits chunks into lines, without line endings or empty lines. Undefined stands for a line that is not
 * UTF-8 or has more than `most` bytes. Such a line is discarded.
 */
export async function* linesOf(
  pieces: AsyncIterable<Uint8Array>,
  most: number,
): AsyncIterable<string | undefined> {
  let kept: Uint8Array[] = []
  let size = 0
  const take = (piece: Uint8Array) => {
    size += piece.byteLength
    if (size <= most) kept.push(piece)
    else kept = []
  }
  const line = () => {
    const text = size <= most ? decoded(kept)?.trim() : undefined
    kept = []
    size = 0
    return text
  }
  for await (const piece of pieces) {
    let from = 0
    for (;;) {
      const end = piece.indexOf(LINE_FEED, from)
      if (end < 0) break
      take(piece.subarray(from, end))
      from = end + 1
      const text = line()
      if (text !== '') yield text
    }
    take(piece.subarray(from))
  }
  const text = line()
  if (text !== '') yield text
}
