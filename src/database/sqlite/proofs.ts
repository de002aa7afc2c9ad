import { BoundedMap, steadyNow } from '../../ground/index.ts'
import { DatabaseError } from '../error.ts'

/** Maximum total length of all statements with a cached proof, in characters. */
const MAX_CHARS = 400_000

/**
 * Proofs from SQLite that a statement is one query and does not write. They depend only on the statement. A change in
 * tables and views can change the tables that a query reads, or its number of columns, but a query never becomes
 * a write. So a statement that is sent again within a minute is not proved again.
 */
export class Proofs<Proof> {
  readonly #kept = new BoundedMap<{ readonly proof: Proof }>({
    entries: 200,
    size: MAX_CHARS,
    ttlMs: 60_000,
  })

  /** Runs a statement with its proof. If that fails with a cached proof, the statement is proved again. */
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
    const at = steadyNow()
    const proof = await prove()
    if (text.length <= MAX_CHARS) this.#kept.set(text, { proof }, text.length, at)
    return run(proof)
  }
}
