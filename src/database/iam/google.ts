import type { Io } from '../database.ts'
import { DatabaseError } from '../error.ts'
import { Kept } from '../kept.ts'
import { objectOf, readBody } from '../transport/body.ts'
import { requestOf } from '../transport/post.ts'
import { neededSecret, type Way } from './way.ts'

/**
 * Cloud SQL and AlloyDB: the password is an OAuth 2.0 access token of a service account. It opens every
 * database that the account may open, whoever shows it, so only hosts that the deployment names get one.
 * https://developers.google.com/identity/protocols/oauth2/service-account
 */
const google = (service: string, scope: string, hint: string): Way => ({
  service,
  hint,
  async token(place, io, signal) {
    assertNamed(place.host, io)
    const { name, value } = neededSecret(io, place, 'GOOGLE_SERVICE_ACCOUNT_KEY')
    const key = readKey(value, name)
    const id = JSON.stringify([key.client_email, key.private_key_id, scope])
    const known = kept.get(id)
    if (known !== undefined) return known
    const grant = await assertion(key, scope, name)
    const { token, seconds } = await exchange(grant, name, io, signal)
    // One that ends sooner counts as older.
    kept.set(id, token, 0, Date.now() - (LIFE_S - seconds) * 1_000)
    return token
  },
})

/** https://cloud.google.com/sql/docs/postgres/iam-logins */
export const cloudSql = google(
  'Cloud SQL',
  'https://www.googleapis.com/auth/sqlservice.login',
  'The operator must check that IAM authentication is on, that the service account has the role Cloud SQL Instance User and is a user of the instance, and the name of the user: on PostgreSQL the e-mail of the service account without .gserviceaccount.com, on MySQL what is before its @.',
)

/** https://cloud.google.com/alloydb/docs/connect-iam */
export const alloydb = google(
  'AlloyDB',
  'https://www.googleapis.com/auth/alloydb.login',
  'The operator must check that IAM authentication is on, that the service account has the roles AlloyDB Database User and Service Usage Consumer and is a user of the cluster, and the name of the user: the e-mail of the service account without .gserviceaccount.com.',
)

/** Never the `token_uri` of a key: a signed text for Google goes to Google. */
const TOKEN_URL = 'https://oauth2.googleapis.com/token'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** How long Google has for its answer, to the last byte, and the longest one that is read. */
const PATIENCE_MS = 5_000
const MAX_BYTES = 16 * 1024

/** How long a token can be used, and for how long before its end it is not. */
const LIFE_S = 3_600
const EARLY_S = 300

const kept = new Kept<string>({ seconds: LIFE_S - EARLY_S, entries: 100 })

/** Throws {@link DatabaseError} for a host that GOOGLE_IAM_HOSTS does not name. */
function assertNamed(host: string, { bindings }: Io): void {
  const { GOOGLE_IAM_HOSTS: hosts } = bindings
  const name = host.toLowerCase()
  const isNamed = (entry: string) =>
    entry.startsWith('*.') ? name.endsWith(entry.slice(1)) : name === entry
  const entries = typeof hosts === 'string' ? hosts.toLowerCase().split(/[\s,]+/) : []
  if (entries.filter(Boolean).some(isNamed)) return
  throw new DatabaseError(
    'config',
    'This deployment does not let the host of this database have a token of Google.',
    { hint: 'The operator can name the host in the variable GOOGLE_IAM_HOSTS, and deploy.' },
  )
}

/** The key of a service account, as Google gives it out. */
interface Key {
  readonly client_email: string
  readonly private_key: string
  readonly private_key_id: string
}

function readKey(text: string, name: string): Key {
  const { client_email, private_key, private_key_id } = objectOf<Partial<Key>>(text) ?? {}
  const isText = (it: unknown) => typeof it === 'string' && it !== ''
  if (![client_email, private_key, private_key_id].every(isText)) throw noKey(name)
  return { client_email, private_key, private_key_id } as Key
}

const noKey = (name: string) =>
  new DatabaseError(
    'config',
    `What this deployment has as the secret ${name} is no key of a service account.`,
    { hint: 'The operator must set it to the whole JSON file that Google gave out for the key.' },
  )

/** A signed text that says who asks for a token, and what for (RFC 7523). */
async function assertion(key: Key, scope: string, name: string): Promise<string> {
  const { importPKCS8, SignJWT } = await import('./jose.mjs')
  // An error may repeat the key.
  const signer = await importPKCS8(key.private_key, 'RS256').catch(() => {
    throw noKey(name)
  })
  return new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: key.private_key_id })
    .setIssuer(key.client_email)
    .setAudience(TOKEN_URL)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(signer)
}

async function exchange(assertion: string, name: string, { fetch }: Io, caller: AbortSignal) {
  const signal = AbortSignal.any([caller, AbortSignal.timeout(PATIENCE_MS)])
  const body = String(new URLSearchParams({ grant_type: GRANT, assertion }))
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const ask = async () => {
    const response = await fetch(TOKEN_URL, requestOf(headers, body, signal))
    return { status: response.status, text: await readBody(response, MAX_BYTES) }
  }
  const { status, text } = await ask().catch(() => {
    throw noToken()
  })
  const { access_token, expires_in, error } = objectOf<Record<string, unknown>>(text) ?? {}
  if (status === 400 || status === 401 || status === 403) throw refusedKey(name, error)
  const isToken = typeof access_token === 'string' && /^[\x21-\x7e]{1,8192}$/.test(access_token)
  if (status !== 200 || !isToken) throw noToken()
  const seconds = typeof expires_in === 'number' ? Math.min(expires_in, LIFE_S) : 0
  return { token: access_token, seconds }
}

const noToken = () =>
  new DatabaseError('network', 'Google gave no token to log in to the database. Try again later.')

const refusedKey = (name: string, error: unknown) =>
  new DatabaseError(
    'config',
    `Google refuses the key that this deployment has as the secret ${name}.`,
    {
      code: typeof error === 'string' && /^\w{1,40}$/.test(error) ? error : undefined,
      hint: 'It was deleted or turned off, or its service account was. The operator can make another key, and set the secret again.',
    },
  )
