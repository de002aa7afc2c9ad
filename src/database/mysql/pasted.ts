import { isLoopback } from '../../ground/index.ts'
import { firstPort, mayNameFiles, meanings, take } from '../connection-string/draft.ts'
import { NotRecognised } from '../connection-string/fault.ts'
import {
  assertPlace,
  hintAuthority,
  noteDropped,
  takeMode,
  urlOf,
} from '../connection-string/finished.ts'
import type { Notes, StringDraft, StringForms } from '../connection-string/pasted.ts'
import { takeToken } from '../connection-string/token.ts'
import { isSocket } from '../transport/hosts.ts'

/** Connection strings as people write them, for MySQL, MariaDB and PlanetScale. */
export const pasted: StringForms = {
  schemes: {
    mysql: ['mysql2', 'mysqli', 'trilogy', 'pymysql', 'tidb', 'vitess'],
    mariadb: [],
    planetscale: ['pscale'],
  },
  ports: ['3306', '3307', '4000'],
  tells: (keywords) =>
    ['uid', 'charset', 'characterset', 'allowuservariables', 'allowpublickeyretrieval'].some((it) =>
      keywords.has(it),
    ) ||
    /^(?:preferred|required|none|verifyca|verifyidentity)$/i.test(keywords.get('sslmode') ?? ''),
  program: {
    names: ['mysql', 'mariadb'],
    options: { '-h': 'host', '-P': 'port', '-u': 'user', '-p': 'password', '-D': 'database' },
    places: ['database'],
    variable: 'MYSQL_PWD',
  },
  services: [
    { title: 'PlanetScale', ends: ['.psdb.cloud'] },
    { title: 'TiDB Cloud', ends: ['.tidbcloud.com'] },
  ],
  finish(draft, notes) {
    const isMadeOver = draft.scheme === 'planetscale'
    const socket = socketOf(draft, notes)
    assertPlace(draft, notes, !isMadeOver)
    const { host = '', user, database } = draft
    const port = firstPort(draft)
    if (user === undefined) throw missing('user', 'before')
    if (database === undefined) throw missing('database', 'behind')
    if (port === '33060') {
      throw new NotRecognised(
        'Port 33060 is for the X protocol, which is not supported here. Write the port of the other protocol, usually 3306.',
        'port',
      )
    }
    const token = takeToken(draft, notes)
    if (draft.password === undefined && !token) {
      notes.hints.push('It has no password: that works only if the server does not require one.')
    }
    const isPlanetScale = isMadeOver || /^[^,]*\.psdb\.cloud$/.test(host)
    const isHere = host.split(',').every(isLoopback)
    const mode = takeMode(draft, 'ssl-mode', MODES, notes)
    if (mode === 'PREFERRED') {
      notes.hints.push(
        'With PREFERRED, an attacker on the network can turn encryption off. With REQUIRED, they cannot.',
      )
    }
    const target = take(draft, 'targetsessionattrs')
    const kept = mayNameFiles(notes) ? filesOf(draft) : {}
    if (take(draft, 'sslca', 'sslcert', 'sslkey', 'sslrootcert') !== undefined) {
      notes.hints.push(
        notes.machine
          ? 'It refers to a certificate file, and a string entered here cannot refer to files.'
          : 'It refers to a certificate file. A Worker does not have files, and trusts only public CAs: if the test reports that the certificate cannot be trusted, or the server requires a client certificate, put Hyperdrive in front of the database.',
      )
    }
    noteDropped(draft, notes)
    if (!isPlanetScale) hintAuthority(draft, !token, notes)
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
      encryption: isOff ? 'none' : ssl === 'PREFERRED' ? 'offered' : 'required',
      port: Number(port ?? 3306),
    }
  },
}

const missing = (part: 'user' | 'database', where: string) =>
  new NotRecognised(
    `It has no ${part}. Write it ${where} the host: mysql://user:password@host/database.`,
    part,
  )

/** Parameters that refer to certificate files on the machine. */
const filesOf = (draft: StringDraft) => ({
  'ssl-ca': take(draft, 'sslca', 'sslrootcert') || undefined,
  'ssl-cert': take(draft, 'sslcert') || undefined,
  'ssl-key': take(draft, 'sslkey') || undefined,
})

/** The server's socket file, from the host, as in Go, or from a separate parameter. */
function socketOf(draft: StringDraft, notes: Notes): string | undefined {
  if (!mayNameFiles(notes)) return undefined
  const named = take(draft, 'socket', 'unixsocket', 'socketpath')
  const { host = '' } = draft
  if (isSocket(host)) draft.host = 'localhost'
  return isSocket(host) ? host : named
}

/** The names that other programs have for each mode. */
const MODES = meanings({
  DISABLED: 'disabled disable false none 0 off no',
  PREFERRED: 'preferred prefer',
  REQUIRED: 'required require true 1 on yes trust skipverify custom acceptinvalidcerts',
  VERIFY_CA: 'verifyca',
  VERIFY_IDENTITY: 'verifyidentity verifyfull strict',
})
