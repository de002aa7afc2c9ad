import { DatabaseError } from '../error.ts'

/** How long a proof is kept, in milliseconds. */
const MAX_AGE_MS = 60_000
/** Proofs that are kept of one database, and characters of the text of each. */
const MAX_PROOFS = 100
const MAX_CHARACTERS = 8_000

/**
 * What SQLite has shown of texts: that each is one query, and that it writes nothing. That is in the text
 * alone. A change of tables and views may change what a query reads, or how wide it is, but no query
 * becomes a write. So a text that comes again within a minute is not proved again.
 */
export class Proofs<Proof> {
  readonly #kept = new Map<string, { readonly proof: Proof; readonly at: number }>()

  /** Runs a text by its proof. If it fails by one that was kept, it is proved anew, and tells what is wrong. */
  async run<Result>(
    text: string,
    prove: () => Promise<Proof>,
    run: (proof: Proof) => Promise<Result>,
  ): Promise<Result> {
    const known = this.#kept.get(text)
    if (known && Date.now() - known.at < MAX_AGE_MS) {
      try {
        return await run(known.proof)
      } catch (error) {
        if (error instanceof DatabaseError && error.kind !== 'sql') throw error
      }
    }
    this.#kept.delete(text)
    const at = Date.now()
    const proof = await prove()
    if (text.length <= MAX_CHARACTERS) this.#kept.set(text, { proof, at })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MAX_PROOFS && oldest !== undefined) this.#kept.delete(oldest)
    return run(proof)
  }
}
