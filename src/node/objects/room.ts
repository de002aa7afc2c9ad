import type { DatabaseSync } from 'node:sqlite'

/** The bytes of an entry apart from its value: its names, and its place in the tree. */
const ENTRY_BYTES = 128

/** Each query reads its table once, for any number of objects. A join would read one table per row in the other. */
const STORED =
  'select object, sum(length(value)) as bytes, count(*) as entries from _cf_KV group by object'
const BY_ALARM = "select class || ':' || name as object from _alarms order by at"

/** The share of the callers' data that is deleted in excess, so one pass over all callers serves many writes. */
const FREE = 0.02

/** One caller's bytes, by object. The object used last comes last. */
interface Share {
  bytes: number
  readonly objects: Map<string, number>
}

/**
 * Limits the data of objects that share a database. If space runs out, the callers with the most data lose the objects
 * they used longest ago, so nobody can push out other callers' data.
 */
export class ObjectsFile {
  readonly #maxBytes: number
  readonly #forget: (name: string) => boolean
  /** The shares by caller. The caller that used an object last comes last. */
  readonly #shares = new Map<string, Share>()
  #bytes = 0

  /** @param forget Deletes an object's data and calls `freed`; or returns false, if it has to stay. */
  constructor(database: DatabaseSync, maxBytes: number, forget: (name: string) => boolean) {
    this.#maxBytes = maxBytes
    this.#forget = forget
    for (const { object, bytes, entries } of database.prepare(STORED).iterate()) {
      this.#add(String(object), Number(bytes) + Number(entries) * ENTRY_BYTES)
    }
    // Objects that expire first were used first.
    for (const { object } of database.prepare(BY_ALARM).iterate()) this.used(String(object))
  }

  used(name: string): void {
    if (this.#shares.get(ownerOf(name))?.objects.has(name)) this.#add(name, 0)
  }

  /** Notes the new length of an entry's value. Undefined stands for no value. Frees space if there is too little. */
  changed(name: string, before: number | undefined, after: number | undefined): void {
    this.#add(name, sizeOf(after) - sizeOf(before))
    if (this.#bytes > this.#maxBytes) this.#makeRoom(name)
  }

  freed(name: string): void {
    const owner = ownerOf(name)
    const share = this.#shares.get(owner)
    const bytes = share?.objects.get(name)
    if (!share || bytes === undefined) return
    share.objects.delete(name)
    share.bytes -= bytes
    this.#bytes -= bytes
    if (share.objects.size === 0) this.#shares.delete(owner)
  }

  #makeRoom(written: string): void {
    let shares = [...this.#shares.values()]
    // If a caller's data has to stay, the next level is set for the other callers. Ends as soon as there is room.
    while (this.#bytes > this.#maxBytes && shares.length > 0) {
      shares.sort((a, b) => b.bytes - a.bytes)
      const sizes = shares.map(({ bytes }) => bytes)
      const spare = FREE * sizes.reduce((sum, bytes) => sum + bytes, 0)
      const level = levelOf(sizes, this.#bytes - this.#maxBytes + spare)
      for (const share of shares) {
        if (share.bytes <= level) break
        this.#shrink(share, level, written)
      }
      shares = shares.filter(({ bytes }) => bytes > 0 && bytes <= level)
    }
  }

  /** Deletes the objects that a caller used longest ago, down to this many bytes, but never the excepted one. */
  #shrink(share: Share, bytes: number, except: string): void {
    for (const name of [...share.objects.keys()]) {
      if (share.bytes <= bytes) return
      if (name !== except) this.#forget(name)
    }
  }

  #add(name: string, more: number): void {
    const owner = ownerOf(name)
    const share = this.#shares.get(owner) ?? { bytes: 0, objects: new Map() }
    const bytes = (share.objects.get(name) ?? 0) + more
    share.objects.delete(name)
    share.objects.set(name, bytes)
    share.bytes += more
    this.#shares.delete(owner)
    this.#shares.set(owner, share)
    this.#bytes += more
  }
}

/** An object's owner. Names of sessions, tasks and stored results end with their caller; for others, it is the kind. */
const ownerOf = (name: string): string =>
  /^(\w+):[\da-f]{24}([\da-f]{8})$/.exec(name)?.slice(1).join() ?? name.split(':', 1)[0]!

/** The bytes that each caller can keep so that `toFree` bytes are freed. `sizes` starts with the largest. */
function levelOf(sizes: readonly number[], toFree: number): number {
  let above = 0
  for (const [i, size] of sizes.entries()) {
    above += size
    const next = sizes[i + 1] ?? 0
    if (above - next * (i + 1) >= toFree) return (above - toFree) / (i + 1)
  }
  return 0
}

const sizeOf = (length: number | undefined) => (length === undefined ? 0 : ENTRY_BYTES + length)
