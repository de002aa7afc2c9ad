/**
 * Questions about an open database. Each question's code is loaded when it is first asked, so an isolate
 * that only lists its tools never loads it.
 *
 * @module
 */

const catalog = () => import('./schema/catalog.ts')
const overviews = () => import('./schema/overview.ts')

export const listTables = lazily(async () => (await catalog()).listTables)
export const allTables = lazily(async () => (await catalog()).allTables)
export const findTable = lazily(async () => (await catalog()).findTable)
export const findSource = lazily(async () => (await catalog()).findSource)
export const columnsOf = lazily(async () => (await catalog()).columnsOf)
export const overview = lazily(async () => (await overviews()).overview)
export const fingerprint = lazily(async () => (await overviews()).fingerprint)
export const rowSecurity = lazily(
  async () => (await import('./schema/row-security.ts')).rowSecurity,
)
export const hintFor = lazily(async () => (await import('./schema/hints.ts')).hintFor)
export const described = lazily(async () => (await import('./schema/described.ts')).described)
export const catalogKeeper = lazily(
  async () => (await import('./schema/kept-catalog.ts')).catalogKeeper,
)
export const visible = lazily(async () => (await import('./schema/visible.ts')).visible)
export const explain = lazily(async () => (await import('./statements/explain.ts')).explain)

/** A function that is loaded when it is first called. */
function lazily<Given extends unknown[], Result>(
  read: () => Promise<(...given: Given) => Promise<Result>>,
): (...given: Given) => Promise<Result> {
  return async (...given) => (await read())(...given)
}
