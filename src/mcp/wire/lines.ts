const LINE_FEED = 0x0a

/**
 * The lines of what arrives in pieces, without their ends and without empty ones. Undefined stands for a
 * line of more than `most` bytes, of which nothing is kept, or one that is not UTF-8.
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
    const text = size <= most ? textOf(kept) : undefined
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

function textOf(pieces: readonly Uint8Array[]): string | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  try {
    const texts = pieces.map((it) => decoder.decode(it, { stream: true }))
    return (texts.join('') + decoder.decode()).trim()
  } catch {
    return undefined
  }
}
