import type { InspectRole } from '../role.ts'

/** Tells the version of a SQLite database. It does not tell what a token may do. */
export const inspectRole: InspectRole = async (ask) => {
  // Cloudflare does not tell the version.
  const [[version] = []] = await ask('select sqlite_version()').catch(() => ask("select ''"))
  return {
    version: `SQLite ${version}`.trim(),
    role: undefined,
    findings: [],
    reader: [],
    note: 'SQLite knows no roles, and whether a token may write cannot be asked without trying. Give libSQL one that only reads (turso db tokens create NAME --read-only), and the API of D1 one with the permission D1 Read. A binding of D1 can always write: then only the guard and the check of the compiled statement keep it from writing.',
  }
}
