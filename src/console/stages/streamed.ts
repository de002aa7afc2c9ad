import type { Html } from '../answer.ts'
import { pageHeaders } from '../parts/layout.tsx'

/** Stands in a page where its parts come one after the other. Nobody can guess it, so no text of others holds it. */
export const makeGap = (): string => `gap-${crypto.randomUUID()}`

/** What comes into a gap. */
export interface Filling {
  readonly gap: string
  readonly parts: () => AsyncGenerator<Html>
}

/**
 * A page whose beginning is shown at once, and what stands in its gaps as it comes, one gap after the other.
 * Where that cannot go on, `failed` stands instead.
 */
export function streamed(page: Html, fillings: readonly Filling[], failed: Html): Response {
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

/** Who compresses an answer holds it back until there is enough of it. */
const UNCHANGED = { 'cache-control': 'no-store, no-transform', 'content-encoding': 'identity' }
