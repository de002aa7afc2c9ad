import { urlOfFile } from '../sqlite/file-url.ts'
import type { Recognised } from './recognised.ts'
import { suggested } from './suggested.ts'

/** Reads what names a SQLite file: `sqlite:shop.db`, `file:/data/shop.db`, `jdbc:sqlite:shop.db`, `/data/shop.sqlite`. */
export function readFile(text: string): Omit<Recognised, 'changes' | 'hints'> | undefined {
  const [, written] = /^(?:jdbc:)?(?:sqlite3?|file):([^?;]+)/i.exec(text) ?? []
  const isBare = /^[^@;=:]{1,400}\.(?:db|sqlite3?|s3db)$/i.test(text)
  const path = written ?? (isBare ? text : undefined)
  if (path === undefined) return undefined
  const [name = ''] = (path.split(/[\\/]/).at(-1) ?? '').split('.', 1)
  return {
    url: isBare ? urlOfFile(path) : `sqlite:${path}`,
    engine: 'SQLite',
    encryption: 'within',
    suggested: suggested({ database: name, engine: 'SQLite' }),
  }
}
