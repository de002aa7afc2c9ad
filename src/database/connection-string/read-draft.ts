import { readCommand } from './command-form.ts'
import { type Draft, type Notes, plainName } from './draft.ts'
import { readDsn } from './dsn-form.ts'
import { NotRecognised } from './fault.ts'
import { readJdbc } from './jdbc-form.ts'
import { readKeywords } from './keyword-form.ts'
import { file, guessed } from './told-engine.ts'
import { readRest, readUrl } from './url-form.ts'
import { readWeb } from './web-form.ts'

/** Reads one connection string, whatever its form. Throws {@link NotRecognised}. */
export function readDraft(text: string, notes: Notes): Draft | undefined {
  assertNoFile(text, notes)
  const commanded = /^\S+\s/.test(text) ? readCommand(text, notes) : undefined
  if (commanded && 'draft' in commanded) return commanded.draft
  const it = commanded?.text ?? text
  assertNoFile(it, notes)
  return (
    readWeb(it, notes) ??
    readJdbc(it, notes) ??
    readDsn(it, notes) ??
    readKeywords(it, notes) ??
    readUrl(it, notes) ??
    readPlace(it, notes)
  )
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

function assertNoFile(text: string, { machine }: Notes): void {
  if (/^(?:jdbc:)?sqlite3?(?:\+(?!libsql)\w+)?:|^file:|^:memory:$/i.test(text)) throw file(machine)
  if (/^[^\s@;=]{1,400}\.(?:db|sqlite3?|s3db|duckdb)$/i.test(text) && !/:\/\//.test(text))
    throw file(machine)
  if (/^[a-z][a-z\d-]{4,40}:[a-z]+-[a-z]+\d:[a-z][a-z\d-]{0,90}$/.test(text)) {
    throw new NotRecognised(
      'This is the name of an instance of Cloud SQL. Write its public IP address with the user and the database: postgres://user:password@address/database.',
      'host',
    )
  }
  if (UUID.test(text)) {
    throw new NotRecognised(
      'This is an id, such as that of a D1 database. Bind the database in wrangler.toml and paste d1:BINDING, or paste d1://:TOKEN@ACCOUNT/DATABASE with a token that may read D1.',
      'host',
      'SQLite',
    )
  }
  if (/^(?:prisma\+?\w*|prisma):\/\//i.test(text)) {
    throw new NotRecognised(
      "This is the address of Prisma's proxy, which only Prisma speaks to. Paste the direct URL of the database, which begins with postgres:// or mysql://.",
      'engine',
    )
  }
}

/** Reads `user:password@host:5432/db` and `host:5432`, which name no engine. Throws {@link NotRecognised}. */
function readPlace(text: string, notes: Notes): Draft | undefined {
  const bare = text.replace(/^\/\//, '')
  if (/\s/.test(bare) || !/^[^/]*[.@:\]]/.test(bare) || bare.includes('://')) return undefined
  const draft = readRest(bare, notes)
  if (draft.host === undefined || !/^[\w.,[\]:-]+$/.test(draft.host)) return undefined
  const known = guessed(draft)
  if (draft.user === undefined) {
    throw new NotRecognised(
      'This is only the address of a server. Write the engine, the user and the database, too: postgres://user:password@host/database.',
      'user',
    )
  }
  if (!known) return draft
  notes.changes.push(`Wrote ${plainName(known.scheme)}:// in front, by the port or the host.`)
  return { ...draft, ...known }
}
