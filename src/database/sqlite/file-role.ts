import type { SqliteFile } from '../machine.ts'
import type { Ask, RoleReport } from '../role.ts'
import { inspectRole } from './roles.ts'

/** Tells the version, and whether anything but us keeps the file from being written. */
export async function inspectFile(
  ask: Ask,
  by: { readonly rollsBack?: boolean | undefined },
  path: string,
  file: SqliteFile,
): Promise<RoleReport> {
  const report = await inspectRole(ask, by)
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  const writable = {
    kind: 'file-writable',
    severity: 'low' as const,
    sentence:
      'The user that runs this may write to the file. It is opened for reading alone; who wants more takes away the right to write, or runs this as another user.',
    objects: [name],
    count: 1,
    statements: [],
  }
  return {
    ...report,
    findings: (await file.isWritable()) ? [writable] : [],
    note: undefined,
  }
}
