import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'

/** Makes a digest of everything in a database that outlives a connection. Equal contents have equal digests. */
export function digestOf(database: DatabaseSync): () => string {
  let digest = { of: '', hash: '' }
  const all = (sql: string) => {
    const statement = database.prepare(sql)
    statement.setReadBigInts(true)
    return statement.all()
  }
  return () => {
    // It counts commits of other connections: if it is the same, the file has not changed.
    const [version] = all('pragma data_version')
    if (digest.of === String(version?.data_version)) return digest.hash
    const tables = all("select name from sqlite_schema where type = 'table'")
    const contents = tables.map(({ name }) => all(`select * from "${name}"`))
    const pragmas = ['user_version', 'schema_version', 'journal_mode', 'auto_vacuum']
    const settings = pragmas.map((pragma) => all(`pragma ${pragma}`))
    const parts = [all('select * from sqlite_schema'), contents, settings]
    const text = JSON.stringify(parts, (_, it) => (typeof it === 'bigint' ? String(it) : it))
    const hash = createHash('sha256').update(text).digest('hex')
    digest = { of: String(version?.data_version), hash }
    return hash
  }
}
