import { DatabaseError } from '../error.ts'
import { Kept } from '../kept.ts'

/**
 * What SQLite has shown of texts: that each is one query, and that it writes nothing. That is in the text
 * alone. A change of tables and views may change what a query reads, or how wide it is, but no query
 * becomes a write. So a text that comes again within a minute is not proved again.
 */
export class Proofs<Proof> {
  readonly #kept = new Kept<{ readonly proof: Proof }>({ seconds: 60, entries: 200, size: 400_000 })

  /** Runs a text by its proof. If it fails by one that was kept, it is proved anew, and tells what is wrong. */
  async run<Result>(
    text: string,
    prove: () => Promise<Proof>,
    run: (proof: Proof) => Promise<Result>,
  ): Promise<Result> {
    const known = this.#kept.get(text)
    if (known) {
      try {
        return await run(known.proof)
      } catch (error) {
        if (error instanceof DatabaseError && error.kind !== 'sql') throw error
      }
    }
    this.#kept.delete(text)
    const at = Date.now()
    const proof = await prove()
    this.#kept.set(text, { proof }, text.length, at)
    return run(proof)
  }
}
