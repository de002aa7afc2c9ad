import type { DatabaseSync } from 'node:sqlite'

/** What an entry takes besides its value: its names, and its place in the tree. */
const ENTRY_BYTES = 128

/** The room for what objects keep in a database that they share. Those used longest ago are forgotten first. */
export class Room {
  readonly #maxBytes: number
  readonly #forget: (name: string) => boolean
  /** The bytes of each object. What was used last comes last. */
  readonly #objects = new Map<string, number>()
  #bytes = 0

  /** @param forget Deletes what an object keeps, and tells `freed`; or returns false, if it has to stay. */
  constructor(database: DatabaseSync, maxBytes: number, forget: (name: string) => boolean) {
    this.#maxBytes = maxBytes
    this.#forget = forget
    // What is forgotten first at its time was used first.
    const stored = database.prepare(
      "select object, sum(length(value)) as bytes, count(*) as entries from _cf_KV left join _alarms on object = class || ':' || name group by object order by max(at)",
    )
    for (const { object, bytes, entries } of stored.iterate()) {
      this.#add(String(object), Number(bytes) + Number(entries) * ENTRY_BYTES)
    }
  }

  /** An object is used. */
  used(name: string): void {
    if (this.#objects.has(name)) this.#add(name, 0)
  }

  /** The value of an entry has another length: undefined if there was or is none. Makes room, if there is none. */
  changed(name: string, before: number | undefined, after: number | undefined): void {
    this.#add(name, sizeOf(after) - sizeOf(before))
    if (this.#bytes <= this.#maxBytes) return
    for (const other of this.#objects.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      if (other !== name) this.#forget(other)
    }
  }

  /** Nothing is kept of an object any more. */
  freed(name: string): void {
    this.#bytes -= this.#objects.get(name) ?? 0
    this.#objects.delete(name)
  }

  #add(name: string, more: number): void {
    const bytes = (this.#objects.get(name) ?? 0) + more
    this.#objects.delete(name)
    this.#objects.set(name, bytes)
    this.#bytes += more
  }
}

const sizeOf = (length: number | undefined) => (length === undefined ? 0 : ENTRY_BYTES + length)
