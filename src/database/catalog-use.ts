import { DatabaseError } from './error.ts'

/** One call's use of its databases' cached catalogs. */
export interface CatalogUse {
  /** The call's number in this isolate. A call's results can be older than a later call's results. */
  readonly call: number
  /** True if every question is asked again and the new answer replaces the cached answer. */
  readonly renews: boolean
  /** True if a cached answer has been used. */
  used: boolean
}

let calls = 0

/** Runs a call's work with cached catalogs. If it fails after it used one, it runs again and renews them. */
export async function byCatalog<T>(work: (catalog: CatalogUse) => Promise<T>): Promise<T> {
  const catalog: CatalogUse = { call: ++calls, renews: false, used: false }
  try {
    return await work(catalog)
  } catch (error) {
    if (!catalog.used || !mayComeFromOldNames(error)) throw error
    return work({ call: ++calls, renews: true, used: false })
  }
}

/** Outdated names can cause only two kinds of database errors: a wrong statement, or one that is not allowed. */
const mayComeFromOldNames = (error: unknown) =>
  !(error instanceof DatabaseError) || error.kind === 'sql' || error.kind === 'refused'
