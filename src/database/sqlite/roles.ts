import type { SqliteFile } from '../machine.ts'
import type { InspectRole, RoleReport } from '../role.ts'

/** Reports the version of a SQLite database. It cannot report a token's rights. */
export const inspectRole: InspectRole = async (ask) => {
  // Cloudflare does not report the version.
  const [[version] = []] = await ask('select sqlite_version()').catch(() => ask("select ''"))
  return {
    version: `SQLite ${version}`.trim(),
    role: undefined,
    findings: [],
    reader: [],
    note: 'SQLite does not have roles, and only a trial write could show whether a token can write. Give libSQL a token that can only read (turso db tokens create NAME --read-only), and the D1 API a token with the permission D1 Read. A D1 binding can always write: only the guard and the check of the compiled statement keep it from writing.',
  }
}

/** Reports the version, and whether anything other than us prevents writes to the file. */
export async function inspectFile(
  ask: Parameters<InspectRole>[0],
  path: string,
  file: SqliteFile,
): Promise<RoleReport> {
  const report = await inspectRole(ask, {})
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  const writable = {
    kind: 'file-writable',
    severity: 'low' as const,
    sentence:
      'The user that runs this can write to the file. The file is opened read-only. For more safety, remove the write permission, or run this as another user.',
    objects: [name],
    count: 1,
    statements: [],
  }
  return { ...report, findings: (await file.isWritable()) ? [writable] : [], note: undefined }
}
