import type { HtmlChunk } from '../answer.ts'
import { pageHeaders } from '../parts/layout.tsx'

/** Makes a placeholder for parts that arrive later. Nobody can guess it, so no other text contains it. */
export const makeGap = (): string => `gap-${crypto.randomUUID()}`

/** Parts that fill a gap. */
export interface Filling {
  readonly gap: string
  readonly parts: () => AsyncGenerator<HtmlChunk>
}

/**
 * Streams a page: its start at once, then the parts of each gap as they arrive, one gap after the other. If a gap
 * fails, `failed` replaces the rest of it.
 */
export function streamed(
  page: HtmlChunk,
  fillings: readonly Filling[],
  failed: HtmlChunk,
): Response {
  const encoder = new TextEncoder()
  async function* texts() {
    let rest = `${page}`
    for (const { gap, parts } of fillings) {
      const [before = '', after = ''] = rest.split(gap)
      yield before
      rest = after
      try {
        for await (const part of parts()) yield `${part}`
      } catch (error) {
        console.error(error)
        yield `${failed}`
      }
    }
    yield rest
  }
  const all = texts()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await all.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: () => void all.return(),
  })
  return new Response(body, { headers: { ...pageHeaders, ...UNCHANGED } })
}

/** Headers against compression, which would hold parts back until there are enough of them. */
const UNCHANGED = { 'cache-control': 'no-store, no-transform', 'content-encoding': 'identity' }
