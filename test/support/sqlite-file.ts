import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Io } from '../../src/database/database.ts'
import { machineWith } from '../../src/node/machine.ts'

/** A folder with a SQLite file, and this machine to read it. */
export interface SqliteFolder {
  readonly folder: string
  readonly path: string
  readonly url: string
  readonly io: Io
  close(): Promise<void>
}

/** Creates a folder with a SQLite file, which these statements fill. */
export function makeSqliteFile(setup: Iterable<string>, name = 'test.db'): SqliteFolder {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-file-'))
  const path = join(folder, name)
  const database = new DatabaseSync(path)
  for (const statement of setup) database.exec(statement)
  database.close()
  const machine = machineWith({})
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  return {
    folder,
    path,
    url: `sqlite:${encodeURI(path)}`,
    io: { fetch, bindings: {}, machine },
    async close() {
      await machine.close()
      process.off('exit', remove)
      remove()
    },
  }
}
