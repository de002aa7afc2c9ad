import { DurableObject } from 'cloudflare:workers'
import type { MeterBook } from './meter-book.ts'
import type { Lease, Spent, Use } from './use.ts'

/** Counts what an endpoint, or a caller at it, uses. Its code is read by the first request to it. */
export class Meter extends DurableObject {
  #book: Promise<MeterBook> | undefined

  /** What is used, and whether the lease is granted. */
  async enter(lease?: Lease): Promise<Use & { readonly granted: boolean }> {
    return (await this.#open()).enter(lease)
  }

  /** Adds what was used. */
  async spend(spent: Spent): Promise<Use> {
    return (await this.#open()).spend(spent)
  }

  override async alarm(): Promise<void> {
    await (await this.#open()).sweep()
  }

  #open(): Promise<MeterBook> {
    this.#book ??= import('./meter-book.ts')
      .then(({ MeterBook }) => new MeterBook(this.ctx.storage))
      .catch((error: unknown) => {
        // The next request tries again.
        this.#book = undefined
        throw error
      })
    return this.#book
  }
}
