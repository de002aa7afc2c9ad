import { isSocket } from '../transport/hosts.ts'
import { type Draft, firstPort, mayNameFiles, type Notes, take } from './draft.ts'
import { NotRecognised } from './fault.ts'
import {
  assertPlace,
  type Finish,
  hintAuthority,
  isLoopback,
  noteDropped,
  TELL_IT,
  urlOf,
} from './finished.ts'
import { takeToken } from './token.ts'

const ENGINE = 'PostgreSQL'

/** Makes the URL of a PostgreSQL server. */
export const finishPostgres: Finish = (draft, notes) => {
  const { scheme } = draft
  assertPlace(draft, ENGINE, notes, scheme !== 'neon')
  const { host = '', user, database } = draft
  // A socket tells who asks: the user of this process, unless it is another one.
  if (user === undefined && !(mayNameFiles(notes) && host.split(',').every(isSocket))) {
    throw new NotRecognised(
      `It names no user. Write it before the host: postgres://user:password@${shown(host)}/database.`,
      'user',
      ENGINE,
    )
  }
  // Of several hosts, each is asked over TCP.
  const isNeon = scheme === 'neon' || /^[^,]*\.neon\.(?:tech|build)$/.test(host)
  if (isNeon && database === undefined) {
    throw new NotRecognised(
      'It names no database. Write it behind the host: postgres://user:password@host/database.',
      'database',
      ENGINE,
    )
  }
  if (database === undefined) {
    notes.hints.push('It names no database: PostgreSQL opens the one that is called like the user.')
  }
  const token = takeToken(draft, ENGINE, notes)
  if (draft.password === undefined && !token) {
    notes.hints.push('It has no password: that works only where the server asks for none.')
  }
  const kept = mayNameFiles(notes) ? keptOf(draft) : {}
  const sslmode = modeOf(draft, notes)
  const options = take(draft, 'options')
  const name = take(draft, 'applicationname')
  const choice = choiceOf(draft, notes)
  noteSchema(draft, notes)
  noteCertificates(draft, notes)
  noteBinding(draft, isNeon, notes)
  noteDropped(draft, notes)
  hintPlace(draft, isNeon, token === undefined, notes)
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
    engine: ENGINE,
    encryption: token ? 'required' : encryptionOf(sslmode, host, isNeon),
    port: Number(firstPort(draft) ?? 5432),
  }
}

const shown = (host: string) => (host.length <= 80 ? host : 'host')

const MODES: Readonly<Record<string, string>> = {
  ...{ disable: 'disable', disabled: 'disable', false: 'disable', none: 'disable', off: 'disable' },
  ...{ 0: 'disable', allow: 'allow', prefer: 'prefer', preferred: 'prefer' },
  ...{ require: 'require', required: 'require', true: 'require', 1: 'require', on: 'require' },
  ...{ noverify: 'require', verifyca: 'verify-ca', verifyfull: 'verify-full' },
  ...{ verify: 'verify-full', strict: 'verify-full', yes: 'require', no: 'disable' },
}

function modeOf(draft: Draft, notes: Notes): string | undefined {
  const written = take(draft, 'sslmode')
  const flag = take(draft, 'ssl', 'tls', 'usessl', 'requiressl')
  take(draft, 'trustservercertificate')
  if (take(draft, 'sslnegotiation') === 'direct') {
    notes.hints.push(
      `It asks for TLS from the first message on (sslnegotiation=direct), which ${notDone(notes)}. It asks the server for TLS first, as all servers take it.`,
    )
  }
  const asked = written || flag
  if (asked === undefined || asked === '') return flag === '' ? 'require' : undefined
  const plain = asked.toLowerCase().replace(/[^a-z\d]/g, '')
  const mode = Object.hasOwn(MODES, plain) ? MODES[plain] : undefined
  if (mode === undefined) {
    throw new NotRecognised(
      'Its sslmode is none that there is. Write sslmode=require, or leave it out.',
      'parameter',
      ENGINE,
    )
  }
  if (mode !== written) notes.changes.push(`Wrote the encryption as sslmode=${mode}.`)
  if (/^(?:noverify)$/.test(plain)) {
    notes.hints.push(
      `${notes.machine ? 'Tidegate' : 'A Worker'} always verifies the certificate: it cannot be told not to.`,
    )
  }
  return mode
}

const notDone = ({ machine }: Notes) =>
  machine ? 'is not done for what is entered here' : 'a Worker cannot do'

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

/** Which server is wanted of several, as libpq, .NET and Java write it, in small letters without hyphens. */
const TARGETS: Readonly<Record<string, string>> = {
  ...{ readwrite: 'read-write', readonly: 'read-only', primary: 'primary', master: 'primary' },
  ...{
    standby: 'standby',
    secondary: 'standby',
    slave: 'standby',
    preferstandby: 'prefer-standby',
  },
  ...{ prefersecondary: 'prefer-standby', preferslave: 'prefer-standby' },
}

function choiceOf(draft: Draft, notes: Notes) {
  const asked = take(draft, 'targetsessionattrs', 'targetsessionattributes', 'targetservertype')
  const balance = take(draft, 'loadbalancehosts')
  const plain = (asked ?? '').toLowerCase().replaceAll(/[^a-z]/g, '')
  const target = Object.hasOwn(TARGETS, plain) ? TARGETS[plain] : undefined
  if (asked !== undefined && target === undefined && plain !== 'any') {
    notes.hints.push(
      'Which of its servers is wanted is not known here: they are tried in their order.',
    )
  }
  return {
    target_session_attrs: target,
    load_balance_hosts: /^(?:random|true)$/i.test(balance ?? '') ? 'random' : undefined,
  }
}

/** What Prisma, Java and .NET write about schemas. */
function noteSchema(draft: Draft, notes: Notes): void {
  const schema = take(draft, 'schema', 'currentschema', 'searchpath')
  if (schema === undefined || schema === '') return
  notes.changes.push('Took the schema off: every schema that the role may read can be asked about.')
}

function noteCertificates(draft: Draft, notes: Notes): void {
  const root = take(draft, 'sslrootcert', 'rootcertificate', 'sslca')
  const own = take(draft, 'sslcert', 'sslkey', 'sslpassword', 'sslcertificate')
  if (root !== undefined && root !== 'system') {
    notes.hints.push(
      notes.machine
        ? `It names a file with a certificate authority, and what is entered here may name no files. ${TELL_IT}.`
        : 'It names a file with a certificate authority. A Worker trusts public authorities only: if the test says that the certificate cannot be trusted, put Hyperdrive in front.',
    )
  }
  if (own !== undefined) {
    notes.hints.push(
      notes.machine
        ? 'It names a certificate of the client, and what is entered here may name no files.'
        : 'It names a certificate of the client. A Worker has none: put Hyperdrive in front, with --mtls-certificate-id.',
    )
  }
}

/** What a machine can do, and a Worker cannot: files with certificates, and a login that is bound to one. */
const keptOf = (draft: Draft) => ({
  sslrootcert: take(draft, 'sslrootcert', 'rootcertificate', 'sslca') || undefined,
  sslcert: take(draft, 'sslcert', 'sslcertificate') || undefined,
  sslkey: take(draft, 'sslkey') || undefined,
  sslnegotiation: take(draft, 'sslnegotiation') || undefined,
  channel_binding: take(draft, 'channelbinding') || undefined,
})

/** Neon writes it into every URL, and is asked over HTTPS. */
function noteBinding(draft: Draft, isNeon: boolean, notes: Notes): void {
  if (isNeon || draft.params.get('channel_binding') !== 'require') return
  notes.hints.push(
    `It asks to bind the login to the certificate (channel_binding=require), which ${notDone(notes)}. The certificate and the host are always verified.`,
  )
}

/** Letters of a project of Supabase. */
const REF = /^(?:db\.([a-z]{20})\.supabase\.co|.*\.pooler\.supabase\.com)$/

function hintPlace(draft: Draft, isNeon: boolean, canHyperdrive: boolean, notes: Notes): void {
  const { host = '', port, user = '' } = draft
  const supabase = REF.exec(host)
  if (isNeon) {
    notes.hints.push('Neon is asked over HTTP, with or without its pooler.')
    return
  }
  if (supabase) {
    const ref = supabase[1] ?? /^[^.]+\.([a-z]{20})$/.exec(user)?.[1]
    if (supabase[1]) {
      notes.hints.push('This address of Supabase has only IPv6, unless the project pays for IPv4.')
    } else if (ref === undefined) {
      notes.hints.push(
        "The user of Supabase's pooler has the project behind a point: postgres.REF.",
      )
    }
    notes.hints.push(
      `Supabase signs its certificates itself${notes.machine ? `. ${TELL_IT}` : ', and a Worker trusts public authorities only. Put Hyperdrive in front of it'}, or paste supabase://:TOKEN@${ref ?? 'REF'} with an access token that may read this project.`,
    )
  } else {
    hintAuthority(draft, canHyperdrive, notes)
  }
  if (port === '6543' && /supabase/.test(host)) {
    notes.hints.push(
      'Port 6543 is the pooler of transactions. It works: each call is one transaction.',
    )
  } else if (port === '6432' || port === '6543' || /-pooler\./.test(host)) {
    notes.hints.push('This is the port of a pooler. It works: each call is one transaction.')
  }
}
