/**
 * What a session, a task or a store keeps beyond its memory: a Durable Object's synchronous
 * storage, or a map. Keys sort as text.
 */
export interface Storage {
  get<T>(key: string): T | undefined
  put<T>(key: string, value: T): void
  delete(key: string): unknown
  list<T>(options: { prefix: string; startAfter?: string }): Iterable<[string, T]>
}

/** Characters of one stored value, which holds 2 MB. */
const PIECE_CHARS = 512 * 1024

/** Stores a text of any length, in place of what was stored there. */
export function keepText(storage: Storage, prefix: string, text: string): void {
  for (const [key] of [...storage.list({ prefix })]) storage.delete(key)
  for (let at = 0; at < text.length; at += PIECE_CHARS) {
    storage.put(prefix + String(at).padStart(12, '0'), text.slice(at, at + PIECE_CHARS))
  }
}

/** Reads a text that {@link keepText} stored; empty if nothing is stored. */
export const keptText = (storage: Storage, prefix: string): string =>
  [...storage.list<string>({ prefix })].map(([, piece]) => piece).join('')
