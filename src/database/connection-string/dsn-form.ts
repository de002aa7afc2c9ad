import type { Draft, Notes } from './draft.ts'
import { meant } from './draft.ts'
import { NotRecognised } from './fault.ts'
import { readHost, readRest } from './url-form.ts'

/** Reads the form of Go's driver for MySQL: `user:password@tcp(host:3306)/db?parseTime=true`. */
export function readDsn(text: string, notes: Notes): Draft | undefined {
  const found = /@(tcp|tcp4|tcp6|unix|cloudsql(?:-mysql)?)\(([^()]*)\)\/|@(\/)[^/@]*$/.exec(text)
  if (!found || /^[a-z\d+]*:\/\//i.test(text)) return undefined
  const login = text.slice(0, found.index)
  const colon = login.indexOf(':')
  const user = colon < 0 ? login : login.slice(0, colon)
  // Else it is a password among keywords that looks like it, and what stands around it would be shown.
  if (/[\s;=]/.test(user)) return undefined
  const [whole, network, address = ''] = found
  if (network?.startsWith('cloudsql')) {
    throw new NotRecognised(
      'This names a socket of Cloud SQL, which only programs beside its proxy can open. Write the address of the server: user:password@tcp(host:3306)/database.',
      'host',
    )
  }
  const behind = network === undefined ? whole.slice(2) : text.slice(found.index + whole.length)
  const { database, params } = readRest(`x/${behind}`, notes)
  notes.changes.push("Read the form of Go's driver for MySQL.")
  return {
    family: 'mysql',
    scheme: 'mysql',
    user: user || undefined,
    password: colon < 0 ? undefined : login.slice(colon + 1) || undefined,
    ...placeOf(network, address, notes),
    database,
    params,
  }
}

function placeOf(network: string | undefined, address: string, notes: Notes) {
  if (network === 'unix') return { host: address }
  return address === '' ? { host: '127.0.0.1' } : readHost(meant(address), notes)
}
