import { isLoopback } from '../../ground/index.ts'
import { firstPort, mayNameFiles, meanings, take } from '../connection-string/draft.ts'
import { NotRecognised } from '../connection-string/fault.ts'
import {
  assertPlace,
  hintAuthority,
  noteDropped,
  TELL_IT,
  takeMode,
  urlOf,
} from '../connection-string/finished.ts'
import type { Notes, StringDraft, StringForms } from '../connection-string/pasted.ts'
import { takeToken } from '../connection-string/token.ts'
import { isSocket } from '../transport/hosts.ts'

/** Connection strings as people write them, for PostgreSQL and for services that use its protocol. */
export const pasted: StringForms = {
  schemes: {
    postgres: [
      ...['postgresql', 'pgsql', 'psql', 'pg', 'postgis', 'postgre', 'psycopg2', 'psycopg'],
      ...['asyncpg', 'timescaledb', 'timescale', 'cockroachdb', 'cockroach', 'yugabyte'],
    ],
    neon: [],
  },
  ports: ['5432', '5433', '6432', '6543', '26257', '25060'],
  isSpaced: true,
  tells: (keywords) =>
    ['searchpath', 'nopreset', 'maxautoprepare', 'includeerrordetail'].some((it) =>
      keywords.has(it),
    ) ||
    (keywords.has('host') && keywords.has('username')) ||
    /^(?:disable|allow|prefer|require|verifyfull)$/i.test(keywords.get('sslmode') ?? ''),
  program: {
    names: ['psql'],
    options: { '-h': 'host', '-p': 'port', '-U': 'user', '-d': 'database' },
    places: ['database', 'user'],
    variable: 'PGPASSWORD',
  },
  services: [
    {
      title: 'Supabase',
      ends: ['.supabase.co', '.supabase.com'],
      authority: {
        where: 'the database settings at Supabase have it, under SSL Configuration',
      },
      asleep:
        'Supabase pauses projects on the Free plan after a week without queries: open the project in its console and restore it.',
      password:
        'Supabase shows it once. You can set a new one in the project settings, under Database.',
    },
    {
      title: 'Neon',
      ends: ['.neon.tech', '.neon.build'],
      asleep:
        'Neon stops an idle server and starts it at the first query: test again in a few seconds.',
      password: 'Neon shows it under Connect, with Show password.',
    },
    { title: 'Timescale', ends: ['.timescale.com'] },
    { title: 'Crunchy Bridge', ends: ['.postgresbridge.com'] },
    { title: 'CockroachDB Cloud', ends: ['.cockroachlabs.cloud'] },
    { title: 'Xata', ends: ['.xata.sh', '.xata.tech'] },
    { title: 'Prisma Postgres', ends: ['.prisma.io', '.prisma-data.net'] },
  ],
  finish(draft, notes) {
    const { scheme } = draft
    assertPlace(draft, notes, scheme !== 'neon')
    const { host = '', user, database } = draft
    // For a socket, the user is optional: the default is the user that runs this process.
    if (user === undefined && !(mayNameFiles(notes) && host.split(',').every(isSocket))) {
      throw new NotRecognised(
        `It has no user. Write it before the host: postgres://user:password@${host.length <= 80 ? host : 'host'}/database.`,
        'user',
      )
    }
    // With several hosts, each is reached over TCP.
    const isNeon = scheme === 'neon' || /^[^,]*\.neon\.(?:tech|build)$/.test(host)
    if (isNeon && database === undefined) {
      throw new NotRecognised(
        'It has no database. Write it after the host: postgres://user:password@host/database.',
        'database',
      )
    }
    if (database === undefined) {
      notes.hints.push(
        'It has no database: PostgreSQL opens the one with the same name as the user.',
      )
    }
    const token = takeToken(draft, notes)
    if (draft.password === undefined && !token) {
      notes.hints.push('It has no password: that works only if the server does not require one.')
    }
    const kept = mayNameFiles(notes) ? keptOf(draft) : {}
    const sslmode = takeMode(draft, 'sslmode', MODES, notes)
    const options = take(draft, 'options')
    const name = take(draft, 'applicationname')
    const choice = choiceOf(draft, notes)
    noteTls(draft, isNeon, notes)
    noteDropped(draft, notes)
    if (!isNeon) hintPlace(draft, token === undefined, notes)
    const url = urlOf(draft, {
      sslmode,
      options: options || undefined,
      application_name: name,
      ...kept,
      ...choice,
      ...token,
    })
    return {
      url,
      encryption: token ? 'required' : encryptionOf(sslmode, host, isNeon),
      port: Number(firstPort(draft) ?? 5432),
    }
  },
}

const MODES = meanings({
  disable: 'disable disabled false none off no 0',
  allow: 'allow',
  prefer: 'prefer preferred',
  // The last one is Prisma's sslaccept.
  require: 'require required true on yes 1 noverify acceptinvalidcerts',
  'verify-ca': 'verifyca',
  'verify-full': 'verifyfull verify strict',
})

function encryptionOf(mode: string | undefined, host: string, isNeon: boolean) {
  if (isNeon) return isLoopback(host) ? 'none' : 'required'
  const hosts = host.split(',')
  if (hosts.every(isSocket)) return 'none'
  if (mode === undefined) {
    return hosts.every((it) => isSocket(it) || isLoopback(it)) ? 'none' : 'required'
  }
  if (mode === 'disable') return 'none'
  return mode === 'allow' || mode === 'prefer' ? 'offered' : 'required'
}

/** Values from libpq, .NET and Java that select the kind of server to use, in lower case without hyphens. */
const TARGETS = meanings({
  'read-write': 'readwrite',
  'read-only': 'readonly',
  primary: 'primary master',
  standby: 'standby secondary slave',
  'prefer-standby': 'preferstandby prefersecondary preferslave',
})

function choiceOf(draft: StringDraft, notes: Notes) {
  const asked = take(draft, 'targetsessionattrs', 'targetsessionattributes', 'targetservertype')
  const balance = take(draft, 'loadbalancehosts')
  const plain = (asked ?? '').toLowerCase().replaceAll(/[^a-z]/g, '')
  const target = Object.hasOwn(TARGETS, plain) ? TARGETS[plain] : undefined
  if (asked !== undefined && target === undefined && plain !== 'any') {
    notes.hints.push(
      'Its target_session_attrs has an unknown value: its servers are tried in the order given.',
    )
  }
  return {
    target_session_attrs: target,
    load_balance_hosts: /^(?:random|true)$/i.test(balance ?? '') ? 'random' : undefined,
  }
}

/** Adds hints about encryption settings that are not supported as written. */
function noteTls(draft: StringDraft, isNeon: boolean, { hints, machine }: Notes): void {
  const root = take(draft, 'sslrootcert', 'rootcertificate', 'sslca')
  const own = take(draft, 'sslcert', 'sslkey', 'sslpassword', 'sslcertificate')
  const notDone = machine ? 'is not supported for a string entered here' : 'a Worker cannot do'
  if (take(draft, 'sslnegotiation') === 'direct') {
    hints.push(
      `It requests TLS from the first message on (sslnegotiation=direct), which ${notDone}. Tidegate first asks the server for TLS, which all servers support.`,
    )
  }
  if (root !== undefined && root !== 'system') {
    hints.push(
      machine
        ? `It refers to a CA certificate file, and a string entered here cannot refer to files. ${TELL_IT}.`
        : 'It refers to a CA certificate file. A Worker trusts only public CAs: if the test reports that the certificate cannot be trusted, put Hyperdrive in front of the database.',
    )
  }
  if (own !== undefined) {
    hints.push(
      machine
        ? 'It refers to a client certificate, and a string entered here cannot refer to files.'
        : 'It refers to a client certificate. A Worker does not have one: put Hyperdrive in front of the database, with --mtls-certificate-id.',
    )
  }
  // Neon puts this parameter into every URL, but is queried over HTTPS.
  if (!isNeon && draft.params.get('channel_binding') === 'require') {
    hints.push(
      `It requires a login that is bound to the certificate (channel_binding=require), which ${notDone}. The certificate and the host are always verified.`,
    )
  }
}

/** Parameters for features that only a machine has: certificate files, and logins bound to a certificate. */
const keptOf = (draft: StringDraft) => ({
  sslrootcert: take(draft, 'sslrootcert', 'rootcertificate', 'sslca') || undefined,
  sslcert: take(draft, 'sslcert', 'sslcertificate') || undefined,
  sslkey: take(draft, 'sslkey') || undefined,
  sslnegotiation: take(draft, 'sslnegotiation') || undefined,
  channel_binding: take(draft, 'channelbinding') || undefined,
})

/** Matches Supabase hosts, and captures the project's reference. */
const SUPABASE = /^(?:db\.([a-z]{20})\.supabase\.co|.*\.pooler\.supabase\.com)$/

function hintPlace(draft: StringDraft, canHyperdrive: boolean, notes: Notes): void {
  const { host = '', user = '' } = draft
  const supabase = SUPABASE.exec(host)
  if (!supabase) {
    hintAuthority(draft, canHyperdrive, notes)
    return
  }
  const ref = supabase[1] ?? /^[^.]+\.([a-z]{20})$/.exec(user)?.[1]
  if (supabase[1]) {
    notes.hints.push('This Supabase address only supports IPv6, unless the project pays for IPv4.')
  } else if (ref === undefined) {
    notes.hints.push(
      "The user for Supabase's pooler contains the project after a dot: postgres.REF.",
    )
  }
  notes.hints.push(
    `Supabase signs its own certificates${notes.machine ? `. ${TELL_IT}` : ', and a Worker trusts only public CAs. Put Hyperdrive in front of it'}, or paste supabase://:TOKEN@${ref ?? 'REF'} with an access token that can read this project.`,
  )
}
