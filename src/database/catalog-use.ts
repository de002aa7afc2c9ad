import { DatabaseError } from './error.ts'

/** How one call uses what is kept of the catalogs of its databases. */
export interface CatalogUse {
  /** Counts the calls of this isolate. What a call learned may be older than what a later one did. */
  readonly call: number
  /** Whether everything is asked anew, and kept in place of what was. */
  readonly renews: boolean
  /** Whether something that was kept has been used. */
  used: boolean
}

let calls = 0

const begun = (renews: boolean): CatalogUse => ({ call: ++calls, renews, used: false })

/**
 * Does the work of a call with what is kept of the catalogs. What was kept may be old: if the work fails
 * after it used some of it, it is done once more with a catalog that is asked anew.
 */
export async function byCatalog<T>(work: (catalog: CatalogUse) => Promise<T>): Promise<T> {
  const catalog = begun(false)
  try {
    return await work(catalog)
  } catch (error) {
    if (!catalog.used || !mayComeFromOldNames(error)) throw error
    return work(begun(true))
  }
}

/** Of what a database says, only that a statement is wrong, or not allowed, can be due to its names. */
const mayComeFromOldNames = (error: unknown) =>
  !(error instanceof DatabaseError) || error.kind === 'sql' || error.kind === 'refused'
