import { DurableObject } from 'cloudflare:workers'
import type { Counted, CountQuery } from './figures.ts'
import type { Batch, Page, RecordFilter } from './record.ts'
import type { RecordLog } from './record-log.ts'

/** One shard of the records of an endpoint. Its code is read by the first request to it. */
export class CallRecords extends DurableObject {
  #log: Promise<RecordLog> | undefined

  async write(batch: Batch): Promise<void> {
    await (await this.#open()).write(batch)
  }

  async read(filter: RecordFilter, before: string | undefined, limit: number): Promise<Page> {
    return (await this.#open()).read(filter, before, limit)
  }

  async count(query: CountQuery): Promise<Counted> {
    return (await this.#open()).count(query)
  }

  override async alarm(): Promise<void> {
    await (await this.#open()).sweep()
  }

  #open(): Promise<RecordLog> {
    this.#log ??= import('./record-log.ts')
      .then(({ RecordLog }) => new RecordLog(this.ctx.storage))
      .catch((error: unknown) => {
        // The next request tries again.
        this.#log = undefined
        throw error
      })
    return this.#log
  }
}
