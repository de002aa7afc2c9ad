import { isSocket } from '../transport/hosts.ts'
import { type Draft, firstPort, mayNameFiles, type Notes, take } from './draft.ts'
import { NotRecognised } from './fault.ts'
import {
  assertPlace,
  type Finish,
  hintAuthority,
  isLoopback,
  noteDropped,
  urlOf,
} from './finished.ts'
import { takeToken } from './token.ts'

/** Makes the URL of a MySQL or MariaDB server, or of PlanetScale. */
export const finishMysql: Finish = (draft, notes) => {
  const engine = draft.scheme === 'mariadb' ? 'MariaDB' : 'MySQL'
  const socket = socketOf(draft, notes)
  assertPlace(draft, engine, notes, draft.scheme !== 'planetscale')
  const { host = '', user, database } = draft
  const port = firstPort(draft)
  if (user === undefined) throw missing('user', engine)
  if (database === undefined) throw missing('database', engine)
  if (port === '33060') {
    throw new NotRecognised(
      'Port 33060 is that of the X protocol, which no driver here speaks. Write the port of the other protocol, which is 3306 in most places.',
      'port',
      engine,
    )
  }
  const token = takeToken(draft, engine, notes)
  if (draft.password === undefined && !token) {
    notes.hints.push('It has no password: that works only where the server asks for none.')
  }
  const isPlanetScale = draft.scheme === 'planetscale' || /^[^,]*\.psdb\.cloud$/.test(host)
  const isHere = host.split(',').every(isLoopback)
  const mode = modeOf(draft, engine, notes)
  const target = take(draft, 'targetsessionattrs')
  const kept = mayNameFiles(notes) ? filesOf(draft) : {}
  if (take(draft, 'sslca', 'sslcert', 'sslkey', 'sslrootcert', 'ssl-ca') !== undefined) {
    notes.hints.push(
      notes.machine
        ? 'It names a file with a certificate, and what is entered here may name no files.'
        : 'It names a file with a certificate. A Worker has no files, and trusts public authorities only: if the test says that the certificate cannot be trusted, or the server wants one of its client, put Hyperdrive in front.',
    )
  }
  noteDropped(draft, notes)
  if (!isPlanetScale) hintAuthority(draft, !token, notes)
  if (isPlanetScale) notes.hints.push('PlanetScale is asked over HTTP, which takes the same login.')
  const ssl = isPlanetScale && !isHere ? undefined : mode
  const isOff = ssl === undefined ? isHere && !token : ssl === 'DISABLED'
  return {
    url: urlOf(draft, {
      'ssl-mode': ssl,
      target_session_attrs: isPlanetScale ? undefined : target,
      socket,
      ...kept,
      ...token,
    }),
    engine,
    encryption: isOff ? 'none' : ssl === 'PREFERRED' ? 'offered' : 'required',
    port: Number(port ?? 3306),
  }
}

/** Certificates in files of the machine. */
const filesOf = (draft: Draft) => ({
  'ssl-ca': take(draft, 'sslca', 'sslrootcert') || undefined,
  'ssl-cert': take(draft, 'sslcert') || undefined,
  'ssl-key': take(draft, 'sslkey') || undefined,
})

/** The file that leads to the server, which the host may be, as in Go. It is named beside the host. */
function socketOf(draft: Draft, notes: Notes): string | undefined {
  if (!mayNameFiles(notes)) return undefined
  const named = take(draft, 'socket', 'unixsocket', 'socketpath')
  const { host = '' } = draft
  if (isSocket(host)) draft.host = 'localhost'
  return isSocket(host) ? host : named
}

const missing = (part: 'user' | 'database', engine: string) =>
  new NotRecognised(
    `It names no ${part}. Write it ${part === 'user' ? 'before' : 'behind'} the host: mysql://user:password@host/database.`,
    part,
    engine,
  )

const MODES: Readonly<Record<string, string>> = {
  ...{ disabled: 'DISABLED', disable: 'DISABLED', false: 'DISABLED', none: 'DISABLED' },
  ...{ 0: 'DISABLED', off: 'DISABLED', no: 'DISABLED' },
  ...{ required: 'REQUIRED', require: 'REQUIRED', true: 'REQUIRED', 1: 'REQUIRED' },
  ...{ on: 'REQUIRED', yes: 'REQUIRED', skipverify: 'REQUIRED', acceptinvalidcerts: 'REQUIRED' },
  ...{ preferred: 'PREFERRED', prefer: 'PREFERRED', trust: 'REQUIRED' },
  ...{ verifyca: 'VERIFY_CA', verifyidentity: 'VERIFY_IDENTITY', verifyfull: 'VERIFY_IDENTITY' },
  ...{ strict: 'VERIFY_IDENTITY', custom: 'REQUIRED' },
}

function modeOf(draft: Draft, engine: string, notes: Notes): string | undefined {
  const written = take(draft, 'sslmode')
  const flag = take(draft, 'ssl', 'tls', 'usessl', 'requiressl', 'sslaccept')
  const asked = written || flag
  if (asked === undefined || asked === '') return undefined
  const plain = asked.toLowerCase().replace(/[^a-z\d]/g, '')
  // `ssl={"rejectUnauthorized":true}` and the like.
  const isObject = asked.trimStart().startsWith('{')
  const mode = isObject ? 'REQUIRED' : Object.hasOwn(MODES, plain) ? MODES[plain] : undefined
  if (mode === undefined) {
    throw new NotRecognised(
      'Its ssl-mode is none that there is. Write ssl-mode=REQUIRED, or leave it out.',
      'parameter',
      engine,
    )
  }
  if (mode !== written) notes.changes.push(`Wrote the encryption as ssl-mode=${mode}.`)
  if (/^prefer/.test(plain)) {
    notes.hints.push(
      'With PREFERRED, somebody in between can turn the encryption off. REQUIRED does not let them.',
    )
  }
  if (/^(?:skipverify|acceptinvalidcerts|trust)$|rejectunauthorizedfalse/.test(plain)) {
    notes.hints.push('A Worker always verifies the certificate: it cannot be told not to.')
  }
  return mode
}
