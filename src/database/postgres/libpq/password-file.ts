/** Host, port, database and user, as a password file lists them. */
export interface PasswordFileKey {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

/**
 * Finds the password in the contents of a .pgpass file. The first matching line wins.
 * https://www.postgresql.org/docs/current/libpq-pgpass.html
 */
export function passwordIn(text: string, entry: PasswordFileKey): string | undefined {
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

/** Four fields, in which colons are escaped with a backslash, and the rest of the line. */
const FIELDS = /^((?:\\.|[^\\:])*):((?:\\.|[^\\:])*):((?:\\.|[^\\:])*):((?:\\.|[^\\:])*):(.*)$/

const plain = (field: string) => field.replaceAll(/\\(.)/g, '$1')
