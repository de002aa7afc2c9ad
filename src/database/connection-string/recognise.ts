import { DatabaseError } from '../error.ts'
import type { Machine } from '../machine.ts'
import { locate } from '../open.ts'
import { type Bound, boundIn, readBinding } from './binding-form.ts'
import { type Candidate, candidatesIn, embeddedIn } from './candidates.ts'
import { finishClickhouse } from './clickhouse.ts'
import { type Draft, mayNameFiles, type Notes } from './draft.ts'
import { type Family, TAKEN, TITLES } from './families.ts'
import { NotRecognised } from './fault.ts'
import { readFile } from './file-form.ts'
import type { Finish } from './finished.ts'
import { fromParameters } from './jdbc-form.ts'
import { finishMysql } from './mysql.ts'
import { decodedWhole, unquoted, visibleText } from './outer.ts'
import { assertFilledIn } from './placeholders.ts'
import { finishPostgres } from './postgres.ts'
import { readDraft } from './read-draft.ts'
import type { Recognised, Unrecognised } from './recognised.ts'
import { serviceOf } from './services.ts'
import { finishD1, finishLibsql, finishRqlite, finishSupabase } from './sqlite.ts'
import { suggested } from './suggested.ts'
import { completed, filled, readVariables } from './variables.ts'

/** The longest text that is read: a file with settings may be as long. */
const MAX_CHARACTERS = 65_536

/** The longest connection string. */
const MAX_URL_CHARACTERS = 4_000

/**
 * Reads any text that people paste for a connection string: a URL with mistakes, a form of Java, .NET, Go or
 * libpq, a command, a file with settings. What it returns is opened by our drivers, or says what to change.
 *
 * @param machine what will open it, if that is no Worker
 */
export async function recognise(
  text: string,
  machine?: Machine,
): Promise<Recognised | Unrecognised> {
  try {
    return await recognised(text, machine)
  } catch (error) {
    if (!(error instanceof NotRecognised)) throw error
    const { message: sentence, part, engine } = error
    return { sentence, part, engine }
  }
}

async function recognised(text: string, machine?: Machine): Promise<Recognised> {
  if (text.length > MAX_CHARACTERS) {
    throw new NotRecognised(
      `This text has more than ${MAX_CHARACTERS.toLocaleString('en')} characters. Paste only the line with the connection string.`,
    )
  }
  const first: Notes = { changes: [], hints: [], machine }
  const visible = visibleText(text, first)
  if (visible === '') {
    throw new NotRecognised(
      'There is nothing here. Paste a connection string, such as postgres://user:password@host/database.',
    )
  }
  const bound = boundIn(visible)
  const { texts, variables, isFile } = candidatesIn(visible)
  const faults: NotRecognised[] = []
  const attempt = async (read: (notes: Notes) => Promise<Recognised | undefined>) => {
    try {
      return await read({ ...first, changes: [...first.changes], hints: [] })
    } catch (error) {
      if (!(error instanceof NotRecognised)) throw error
      faults.push(error)
      return undefined
    }
  }
  for (const it of texts) {
    // It is what Hyperdrive stands for on the machine of a programmer.
    if (bound && !machine && it.name === 'localConnectionString') continue
    const found = await attempt((notes) => readCandidate(it, variables, isFile, notes))
    if (found) return found
  }
  const byVariables = await attempt((notes) => readTogether(variables, notes))
  if (byVariables) return byVariables
  if (bound && !machine) {
    const changes = [...first.changes, `Took the binding of ${bound.block}.`]
    return { ...readBinding(bound.url)!, changes, hints: [] }
  }
  if (faults.length === 0 || isFile) {
    for (const it of embeddedIn(visible)) {
      const found = await attempt((notes) => {
        notes.changes.push('Took the connection string out of the text around it.')
        return readCandidate(it, variables, false, notes)
      })
      if (found) return found
    }
  }
  throw bound ? boundElsewhere(bound) : (faults[0] ?? unknown(visible))
}

async function readCandidate(
  { text, name }: Candidate,
  variables: ReadonlyMap<string, string>,
  isFile: boolean,
  notes: Notes,
): Promise<Recognised | undefined> {
  if (text.length > 2 * MAX_URL_CHARACTERS) throw tooLong()
  const bare = decodedWhole(unquoted(filled(text, variables), notes), notes)
  const reference = readBinding(bare) ?? (mayNameFiles(notes) ? readFile(bare) : undefined)
  if (reference) return { ...reference, changes: notes.changes, hints: notes.hints }
  const draft = readDraft(bare, notes)
  if (!draft) return undefined
  if (isFile && name !== undefined && /^[\w.-]{1,60}$/.test(name)) {
    notes.changes.push(
      variables.size > 1
        ? `Took ${name}, one of ${variables.size} values.`
        : `Took the value of ${name}.`,
    )
  }
  return finished(completed(fromParameters(draft), variables), notes)
}

async function readTogether(variables: ReadonlyMap<string, string>, notes: Notes) {
  const draft = readVariables(variables)
  if (!draft) return undefined
  notes.changes.push('Put the connection string together from its parts.')
  return finished(draft, notes)
}

const FINISH: Readonly<Record<Exclude<Family, 'binding'>, Finish>> = {
  postgres: finishPostgres,
  supabase: finishSupabase,
  mysql: finishMysql,
  clickhouse: finishClickhouse,
  libsql: finishLibsql,
  rqlite: finishRqlite,
  d1: finishD1,
}

async function finished(draft: Draft, notes: Notes): Promise<Recognised> {
  const { family } = draft
  if (family === undefined || family === 'binding') {
    throw new NotRecognised(
      `It does not say which engine it is for. Write the engine in front: postgres://, mysql://, clickhouse:// or libsql://.`,
      'engine',
    )
  }
  assertFilledIn(draft, TITLES[family])
  const { url, engine, encryption, port } = FINISH[family](draft, notes)
  if (url.length > MAX_URL_CHARACTERS) throw tooLong()
  await assertOpens(url, engine, notes)
  const { host, database, user, password } = draft
  const service = serviceOf(host ?? '')?.title
  return {
    url,
    engine,
    service,
    host,
    port,
    database,
    user: family === 'libsql' || family === 'd1' || family === 'supabase' ? undefined : user,
    secretLength: password?.length,
    encryption,
    changes: notes.changes,
    hints: notes.hints,
    suggested: suggested({ database, host, service, engine }),
  }
}

/** Throws {@link NotRecognised} for a URL that our drivers do not open. */
async function assertOpens(url: string, engine: string, notes: Notes): Promise<void> {
  try {
    const machine = mayNameFiles(notes) ? notes.machine : undefined
    await locate(url, { fetch, bindings: {}, machine }).open()
  } catch (error) {
    if (error instanceof DatabaseError) throw new NotRecognised(error.message, undefined, engine)
    throw error
  }
}

const boundElsewhere = ({ block }: Bound) =>
  new NotRecognised(
    `This is the block ${block} of wrangler.toml, and only Workers have what it binds. Paste the connection string of the database itself.`,
    'host',
  )

const tooLong = () =>
  new NotRecognised(
    `A connection string has at most ${MAX_URL_CHARACTERS.toLocaleString('en')} characters, and this one has more. Paste only the connection string.`,
  )

function unknown(text: string): NotRecognised {
  if (/"(?:mcpServers|mcp)"\s{0,20}:/.test(text)) {
    return new NotRecognised(
      'This is the configuration of an MCP app, and there is no connection string in it. Paste the one of the database: postgres://user:password@host/database.',
    )
  }
  return new NotRecognised(
    `This is no connection string that is known here. Paste one such as postgres://user:password@host/database. ${TAKEN}`,
  )
}
