import {
  type CallRecord,
  idAt,
  type Retention,
  SHARDS,
  shardName,
} from '../../src/registry/records/record.ts'
import type { RunningWorker } from './worker.ts'

const retention: Retention = { count: 50_000, days: 30 }

let written = 0

/** A record of a call that ended this many milliseconds ago. */
export function recordOf(
  endpoint: string,
  ago: number,
  more: Partial<CallRecord> = {},
): CallRecord {
  const at = Date.now() - ago
  return {
    id: `${idAt(at)}${String(written++).padStart(6, '0')}isolate0`,
    time: new Date(at).toISOString(),
    endpoint,
    rows: 1,
    bytes: 2,
    milliseconds: 3,
    outcome: 'ok',
    ...more,
  }
}

/** Writes call records of endpoints, as if clients had made the calls. */
export async function writeRecords(worker: RunningWorker, records: readonly CallRecord[]) {
  const env = await worker.env()
  for (const [endpoint, own] of Map.groupBy(records, (it) => it.endpoint)) {
    for (let shard = 0; shard < SHARDS; shard++) {
      const object = env.RECORDS.get(env.RECORDS.idFromName(shardName(endpoint, shard)))
      const some = own.filter((_, i) => i % SHARDS === shard)
      await object.write({ records: some, lost: 0, retention })
    }
  }
}
