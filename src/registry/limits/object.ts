import { DurableObject } from 'cloudflare:workers'
import { once } from '../../ground/index.ts'
import type { Lease, Spent, Use } from './use.ts'

/** Counts the usage of an endpoint, or of one caller there. The first request to it loads its code. */
export class Meter extends DurableObject {
  readonly #open = once(async () => {
    const { MeterBook } = await import('./meter-book.ts')
    return new MeterBook(this.ctx.storage)
  })

  /** Returns the usage, and whether the lease is granted. */
  async enter(lease?: Lease): Promise<Use & { readonly granted: boolean }> {
    return (await this.#open()).enter(lease)
  }

  /** Adds usage. */
  async spend(spent: Spent): Promise<Use> {
    return (await this.#open()).spend(spent)
  }

  override async alarm(): Promise<void> {
    await (await this.#open()).sweep()
  }
}
