/**
 * What can be asked about an open database. The code of a question is read when it is first asked: an
 * isolate that only lists its tools never reads it.
 *
 * @module
 */

const catalog = () => import('./schema/catalog.ts')
const overviews = () => import('./schema/overview.ts')

export const listTables = later(async () => (await catalog()).listTables)
export const findTable = later(async () => (await catalog()).findTable)
export const findSource = later(async () => (await catalog()).findSource)
export const columnsOf = later(async () => (await catalog()).columnsOf)
export const overview = later(async () => (await overviews()).overview)
export const fingerprint = later(async () => (await overviews()).fingerprint)
export const rowSecurity = later(async () => (await import('./schema/row-security.ts')).rowSecurity)
export const hintFor = later(async () => (await import('./schema/hints.ts')).hintFor)
export const explain = later(async () => (await import('./statements/explain.ts')).explain)

/** A function that is read when it is first called. */
function later<Given extends unknown[], Result>(
  read: () => Promise<(...given: Given) => Promise<Result>>,
): (...given: Given) => Promise<Result> {
  return async (...given) => (await read())(...given)
}
