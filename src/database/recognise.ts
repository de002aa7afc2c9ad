import { readCommand } from './connection-string/command-form.ts'
import { mayNameFiles } from './connection-string/draft.ts'
import { beginnings, servicesOf } from './connection-string/engine-of.ts'
import { NotRecognised } from './connection-string/fault.ts'
import { fromParameters, readJdbc } from './connection-string/jdbc-form.ts'
import { readKeywords } from './connection-string/keyword-form.ts'
import { type CandidateText, linesOf } from './connection-string/lines.ts'
import { unquoted, visibleText } from './connection-string/outer.ts'
import type { Notes, StringDraft, StringForms } from './connection-string/pasted.ts'
import { assertFilledIn } from './connection-string/placeholders.ts'
import type { ConnectionString, ConnectionStringFault } from './connection-string/recognised.ts'
import { type Service, serviceOf } from './connection-string/services.ts'
import { suggested } from './connection-string/suggested.ts'
import { readPlace, readUrl } from './connection-string/url-form.ts'
import { completed, readVariables } from './connection-string/variables.ts'
import { engines } from './engines.ts'
import { DatabaseError } from './error.ts'
import type { Machine } from './machine.ts'
import { hasNoSecret, knownScheme, locate } from './open.ts'

/** Maximum number of characters that are read, enough for a settings file. */
const MAX_CHARACTERS = 65_536

/** Maximum length of a connection string. */
const MAX_URL_CHARACTERS = 4_000

/**
 * Reads a connection string as people paste it: a URL with mistakes, a string for Java, .NET or libpq, a
 * command, or lines from a settings file. The result is a URL that our drivers can open, or a message that says
 * what to change.
 *
 * @param machine the machine that will open it, unless it is a Worker
 */
export async function recognise(
  text: string,
  machine?: Machine,
): Promise<ConnectionString | ConnectionStringFault> {
  try {
    return await recognised(text, { changes: [], hints: [], machine, engines: await allPasted() })
  } catch (error) {
    if (!(error instanceof NotRecognised)) throw error
    const { message: sentence, part, engine } = error
    return { sentence, part, engine }
  }
}

const allPasted = async (): Promise<readonly StringForms[]> =>
  Promise.all(engines.flatMap(({ pasted }) => (pasted ? [pasted().then((it) => it.pasted)] : [])))

export { serviceOf }

/** The services that databases run on. */
export const services = async (): Promise<readonly Service[]> => servicesOf(await allPasted())

async function recognised(text: string, first: Notes): Promise<ConnectionString> {
  if (text.length > MAX_CHARACTERS) {
    throw new NotRecognised(
      `This text has more than ${MAX_CHARACTERS.toLocaleString('en')} characters. Paste only the line with the connection string.`,
    )
  }
  const visible = visibleText(text, first)
  if (visible === '') {
    throw new NotRecognised(
      `There is nothing here. Paste a connection string. It begins with ${beginnings(first)}.`,
    )
  }
  const { texts, variables } = linesOf(visible)
  let fault: NotRecognised | undefined
  for (const read of [
    ...texts.map((it) => (notes: Notes) => readCandidate(it, variables, notes)),
    (notes: Notes) => readTogether(variables, notes),
  ]) {
    try {
      const found = await read({ ...first, changes: [...first.changes], hints: [] })
      if (found) return found
    } catch (error) {
      if (!(error instanceof NotRecognised)) throw error
      // In a settings file, addresses other than the database's do not matter.
      if (!fault || fault.part === 'engine') fault = error
    }
  }
  throw (
    fault ??
    new NotRecognised(
      `This is not a known form of connection string. Paste one that begins with ${beginnings(first)}.`,
    )
  )
}

async function readCandidate(
  { text, name }: CandidateText,
  variables: ReadonlyMap<string, string>,
  notes: Notes,
): Promise<ConnectionString | undefined> {
  if (text.length > 2 * MAX_URL_CHARACTERS) throw tooLong()
  const bare = unquoted(text, notes)
  // Text before an equals sign can be part of a password.
  if (name !== undefined) {
    notes.changes.push(`Used the value of ${VARIABLE.test(name) ? name : 'a variable'}.`)
  }
  const reference = readReference(bare, notes)
  if (reference) return reference
  const draft = readDraft(bare, notes)
  return draft && finished(completed(fromParameters(draft), name, variables, notes), notes)
}

async function readTogether(variables: ReadonlyMap<string, string>, notes: Notes) {
  const draft = readVariables(variables, notes)
  if (!draft) return undefined
  notes.changes.push('Built the connection string from its parts.')
  return finished(draft, notes)
}

/** Reads one connection string in any form. Throws {@link NotRecognised}. */
function readDraft(text: string, notes: Notes): StringDraft | undefined {
  const commanded = /^\S+\s/.test(text) ? readCommand(text, notes) : undefined
  if (commanded && 'draft' in commanded) return commanded.draft
  const it = commanded?.text ?? text
  return (
    readJdbc(it, notes) ?? readKeywords(it, notes) ?? readUrl(it, notes) ?? readPlace(it, notes)
  )
}

/**
 * Reads a reference that contains no secret: the name of a binding, a secret or a file. Throws {@link
 * NotRecognised}.
 */
function readReference(text: string, { engines, ...notes }: Notes): ConnectionString | undefined {
  const { changes, hints } = notes
  const file = engines.map((it) => it.read?.(text, { engines, ...notes })).find(Boolean)
  if (file) {
    const { title } = knownScheme(file.url.split(':', 1)[0]!)!
    return {
      url: file.url,
      engine: title,
      encryption: 'within',
      changes,
      hints,
      suggested: suggested(file.name, title),
    }
  }
  const [, written = '', name = ''] = /^([a-z][a-z\d]*):(?:\/\/)?([^@]*)$/i.exec(text) ?? []
  const scheme = written.toLowerCase()
  const url = `${scheme}:${name}`
  const isSecret = scheme === 'secret'
  const engine = isSecret ? 'as specified by the secret' : knownScheme(scheme)?.title
  if (
    engine === undefined ||
    !(isSecret || hasNoSecret(`${scheme}:`) || hasNoSecret(`${scheme}:NAME`))
  )
    return undefined
  if (isSecret ? !/^[A-Za-z_]\w*$/.test(name) : !hasNoSecret(url)) {
    throw new NotRecognised(
      `The name after ${scheme}: is missing or not valid. Write the name of the secret, or of the binding in wrangler.toml.`,
      'host',
      engine,
    )
  }
  return { url, engine, encryption: 'within', changes, hints, suggested: suggested(name, engine) }
}

async function finished(draft: StringDraft, notes: Notes): Promise<ConnectionString> {
  const { scheme = '' } = draft
  const pasted = notes.engines.find(({ schemes }) => Object.hasOwn(schemes, scheme))
  const known = knownScheme(scheme)
  if (!pasted || !known) {
    throw new NotRecognised(
      `It does not say which engine it is for. Put one of these at the beginning: ${beginnings(notes)}.`,
      'engine',
    )
  }
  const { title: engine } = known
  try {
    assertFilledIn(draft, notes)
    const { url, encryption, port } = pasted.finish(draft, notes)
    if (url.length > MAX_URL_CHARACTERS) throw tooLong()
    await assertOpens(url, notes)
    const { host, database = '', user, password, params: _ } = draft
    const service = serviceOf(host ?? '', servicesOf(notes.engines))?.title
    return {
      ...{ url, engine, service, host, port, database: database || undefined, user },
      secretLength: password?.length,
      encryption,
      changes: notes.changes,
      hints: notes.hints,
      suggested: suggested(database, service ?? engine),
    }
  } catch (error) {
    if (!(error instanceof NotRecognised)) throw error
    throw new NotRecognised(error.message, error.part, engine)
  }
}

/** Throws {@link NotRecognised} for a URL that our drivers cannot open. */
async function assertOpens(url: string, notes: Notes): Promise<void> {
  try {
    const machine = mayNameFiles(notes) ? notes.machine : undefined
    await locate(url, { fetch, bindings: {}, machine }).open()
  } catch (error) {
    if (error instanceof DatabaseError) throw new NotRecognised(error.message)
    throw error
  }
}

const tooLong = () =>
  new NotRecognised(
    `Connection strings can be at most ${MAX_URL_CHARACTERS.toLocaleString('en')} characters long; this one is longer. Paste only the connection string.`,
  )

/** The usual form of an environment variable's name. */
const VARIABLE = /^[A-Z][A-Z\d_]{1,60}$/
