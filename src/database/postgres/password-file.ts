/** Who logs in, and where, as a password file has it. */
export interface Entry {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

/**
 * The password in the text of a .pgpass: of the first line that matches.
 * https://www.postgresql.org/docs/current/libpq-pgpass.html
 */
export function passwordIn(text: string, entry: Entry): string | undefined {
  const wanted = [entry.host, String(entry.port), entry.database, entry.user]
  for (const line of text.split(/\r?\n/)) {
    if (line === '' || line.startsWith('#')) continue
    const fields = FIELDS.exec(line)
    if (fields && wanted.every((it, i) => fields[i + 1] === '*' || plain(fields[i + 1]!) === it)) {
      return plain(fields[5]!)
    }
  }
  return undefined
}

/** Four fields, in which a colon has a backslash, and the rest. */
const FIELDS = /^((?:\\.|[^\\:])*):((?:\\.|[^\\:])*):((?:\\.|[^\\:])*):((?:\\.|[^\\:])*):(.*)$/

const plain = (field: string) => field.replaceAll(/\\(.)/g, '$1')
