/** Storage for a session, a task or a store: a Durable Object's storage, or a map. Keys are sorted as strings. */
export interface Storage {
  get<T>(key: string): T | undefined
  put<T>(key: string, value: T): void
  delete(key: string): unknown
  list<T>(options: { prefix: string; startAfter?: string }): Iterable<[string, T]>
}

/** The environment of a session, a task or a store. */
export interface StateHost<Limits> {
  readonly storage: Storage
  readonly limits: Limits
  /** Calls `wake` at this time. Replaces any time set before. */
  wakeAt(time: number): void
  /** Deletes everything, including the alarm. */
  clear(): Promise<void>
}

/** Maximum number of characters in one stored value, which can hold 2 MB. */
const PIECE_CHARS = 512 * 1024

/** Stores a string of any length, replacing the previous one. */
export function keepText(storage: Storage, prefix: string, text: string): void {
  for (const [key] of [...storage.list({ prefix })]) storage.delete(key)
  for (let at = 0; at < text.length; at += PIECE_CHARS) {
    storage.put(prefix + String(at).padStart(12, '0'), text.slice(at, at + PIECE_CHARS))
  }
}

/** Reads a string stored with {@link keepText}. Empty if nothing is stored. */
export const keptText = (storage: Storage, prefix: string): string =>
  [...storage.list<string>({ prefix })].map(([, piece]) => piece).join('')
