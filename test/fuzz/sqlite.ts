import { constants, DatabaseSync } from 'node:sqlite'
import { rules } from '../../src/database/sqlite/rules.ts'
import type { Engine, Verdict } from './fuzz.ts'

/** The authorizer actions of a statement that only reads. */
const READS = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_RECURSIVE,
])

const NAMES = new Map(Object.entries(constants).map(([name, code]) => [code, name.slice(7)]))

/**
 * SQLite as the judge. It prepares a text and never runs it. Its authorizer gets every table that is
 * read or written, every function that is called and every other action of a statement, with the names
 * that SQLite itself has resolved. SQLite keeps the text of the first statement, which shows where it
 * ends. There must be no other statement after it.
 */
export async function openSqlite(): Promise<Engine> {
  const database = new DatabaseSync(':memory:')
  database.exec(`create table users (id integer, email text);
    create table orders (id integer, user_id integer, total real);
    create table _cf_kv (a)`)
  // Functions that some hosts compile in. The authorizer sees a function only if it exists.
  for (const name of ['readfile', 'writefile', 'edit', 'eval']) {
    database.function(name, { varargs: true }, () => null)
  }
  if (!('setAuthorizer' in database)) throw new Error('Only Node 24.10 and newer has authorizers.')
  let seen: string | undefined
  database.setAuthorizer((code, first, second) => {
    if (!READS.has(code)) seen ??= `${NAMES.get(code)} ${first ?? ''}`
    const [table, call] = [first?.toLowerCase() ?? '', second?.toLowerCase() ?? '']
    if (code === constants.SQLITE_READ && rules.hiddenRelations.test(table))
      seen ??= `reads ${first}`
    if (code === constants.SQLITE_FUNCTION && rules.refusedFunctions.test(call))
      seen ??= `calls ${second}`
    return constants.SQLITE_OK
  })
  const judge = (text: string): Verdict => {
    seen = undefined
    let length = -1
    try {
      length = database.prepare(text).sourceSQL.length
    } catch {}
    if (seen !== undefined) return { escape: seen }
    if (length < 0) return 'unparsed'
    return isEmpty(text.slice(length)) ? 'reads' : { escape: 'a second statement' }
  }
  const isEmpty = (rest: string) => {
    if (rest === '') return true
    try {
      database.prepare(rest)
      return false
    } catch (error) {
      return /contains no statements/.test(String(error))
    }
  }
  const version = database.prepare('select sqlite_version() as version').get()!.version
  return {
    name: 'sqlite',
    rules,
    unseen: new Map(),
    batch: 1,
    judge: async (texts) => texts.map(judge),
    version: () => `SQLite ${version}`,
    close: async () => database.close(),
  }
}
