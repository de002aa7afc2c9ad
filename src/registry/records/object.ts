import { DurableObject } from 'cloudflare:workers'
import { once } from '../../ground/index.ts'
import type { CountQuery, ShardCounts } from './figures.ts'
import type { Batch, RecordFilter, ShardPage } from './record.ts'

/** One shard of an endpoint's records. The first request to it loads its code. */
export class CallRecords extends DurableObject {
  readonly #open = once(async () => {
    const { RecordLog } = await import('./record-log.ts')
    return new RecordLog(this.ctx.storage)
  })

  async write(batch: Batch): Promise<void> {
    await (await this.#open()).write(batch)
  }

  async read(filter: RecordFilter, before: string | undefined, limit: number): Promise<ShardPage> {
    return (await this.#open()).read(filter, before, limit)
  }

  async count(query: CountQuery): Promise<ShardCounts> {
    return (await this.#open()).count(query)
  }

  override async alarm(): Promise<void> {
    await (await this.#open()).sweep()
  }
}
