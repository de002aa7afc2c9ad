// What counts and records calls, as it is designed: for as long as src/registry/ does not have it.

/** An isolate sends what it counted, and its records, after this time. */
const FLUSH_MS = 5_000

/** Records of one request, and objects that share the records of an endpoint. */
const BATCH = 200
const SHARDS = 4

/** Counts what an endpoint uses in a day. */
export class Meter {
  #kv

  constructor({ storage }) {
    this.#kv = storage.kv
  }

  spend({ rows, bytes }) {
    const used = this.#kv.get('used') ?? { rows: 0, bytes: 0 }
    const is = { rows: used.rows + rows, bytes: used.bytes + bytes }
    this.#kv.put('used', is)
    return is
  }
}

/** Some of the records of an endpoint. */
export class CallRecords {
  #kv

  constructor({ storage }) {
    this.#kv = storage.kv
  }

  write({ records }) {
    for (const it of records) this.#kv.put(`record:${it.id}`, it)
  }
}

/** What an isolate does about calls: the same shape as the real one. */
export function callsOf({ METER, RECORDS }, waitUntil) {
  const ask = (namespace, name) => namespace.get(namespace.idFromName(name))
  const shard = Math.floor(Math.random() * SHARDS)
  const waiting = new Map()
  let flushing = false

  async function flush() {
    // Not all isolates at once.
    await new Promise((resolve) => setTimeout(resolve, FLUSH_MS * (0.5 + Math.random() / 2)))
    flushing = false
    for (const [endpoint, { rows, bytes, records }] of [...waiting]) {
      waiting.delete(endpoint)
      await ask(METER, endpoint).spend({ rows, bytes })
      for (let at = 0; at < records.length; at += BATCH) {
        const batch = { records: records.slice(at, at + BATCH) }
        await ask(RECORDS, `${endpoint}#${shard}`).write(batch)
      }
    }
  }

  return {
    of: ({ name }) => ({
      async around(call, run) {
        const result = await run()
        const it = waiting.get(name) ?? { rows: 0, bytes: 0, records: [] }
        waiting.set(name, it)
        it.rows += call.rows
        it.bytes += call.bytes
        const id = crypto.randomUUID()
        it.records.push({ id, time: Date.now(), endpoint: name, outcome: 'ok', rows: call.rows })
        if (!flushing) {
          flushing = true
          waitUntil(flush())
        }
        return result
      },
    }),
  }
}
