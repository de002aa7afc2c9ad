import { BoundedMap, steadyNow } from '../../ground/index.ts'
import type { Io } from '../database.ts'
import { badConfig, DatabaseError } from '../error.ts'
import { objectOf, readBody } from '../transport/body.ts'
import { requestOf } from '../transport/post.ts'
import { type IamLogin, neededSecret } from './way.ts'

/**
 * Cloud SQL and AlloyDB, where the password is an OAuth 2.0 access token for a service account. Anyone who has it
 * can open every database that the account can, so it is only sent to hosts that the deployment lists.
 * https://developers.google.com/identity/protocols/oauth2/service-account
 */
const google = (service: string, scope: string, hint: string): IamLogin => ({
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
    // A token with a shorter lifetime counts as older.
    kept.set(id, token, 0, steadyNow() - (LIFE_S - seconds) * 1_000)
    return token
  },
})

/** https://cloud.google.com/sql/docs/postgres/iam-logins */
export const cloudSql = google(
  'Cloud SQL',
  'https://www.googleapis.com/auth/sqlservice.login',
  'The operator must check that IAM authentication is on, that the service account has the role Cloud SQL Instance User and is a user of the instance, and that the user name is correct: on PostgreSQL, the email address of the service account without .gserviceaccount.com; on MySQL, the part before its @.',
)

/** https://cloud.google.com/alloydb/docs/connect-iam */
export const alloydb = google(
  'AlloyDB',
  'https://www.googleapis.com/auth/alloydb.login',
  'The operator must check that IAM authentication is on, that the service account has the roles AlloyDB Database User and Service Usage Consumer and is a user of the cluster, and that the user name is correct: the email address of the service account without .gserviceaccount.com.',
)

/** Used instead of the key's `token_uri`, so that a signed assertion for Google only goes to Google. */
const TOKEN_URL = 'https://oauth2.googleapis.com/token'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** Time limit for Google's whole response, and its maximum size. */
const PATIENCE_MS = 5_000
const MAX_BYTES = 16 * 1024

/** Lifetime of a token, and how long before its expiration it is no longer used. */
const LIFE_S = 3_600
const EARLY_S = 300

const kept = new BoundedMap<string>({ entries: 100, ttlMs: (LIFE_S - EARLY_S) * 1_000 })

/** Throws {@link DatabaseError} for a host that is not in GOOGLE_IAM_HOSTS. */
function assertNamed(host: string, { bindings }: Io): void {
  const { GOOGLE_IAM_HOSTS: hosts } = bindings
  const name = host.toLowerCase()
  const isNamed = (entry: string) =>
    entry.startsWith('*.') ? name.endsWith(entry.slice(1)) : name === entry
  const entries = typeof hosts === 'string' ? hosts.toLowerCase().split(/[\s,]+/) : []
  if (entries.filter(Boolean).some(isNamed)) return
  throw badConfig('This deployment does not allow a Google token for the host of this database.', {
    reason: 'token_host_not_allowed',
    hint: 'The operator can add the host to the variable GOOGLE_IAM_HOSTS, and deploy.',
  })
}

/** A service account's key in Google's format. */
interface ServiceAccountKey {
  readonly client_email: string
  readonly private_key: string
  readonly private_key_id: string
}

function readKey(text: string, name: string): ServiceAccountKey {
  const { client_email, private_key, private_key_id } =
    objectOf<Partial<ServiceAccountKey>>(text) ?? {}
  const isText = (it: unknown) => typeof it === 'string' && it !== ''
  if (![client_email, private_key, private_key_id].every(isText)) throw noKey(name)
  return { client_email, private_key, private_key_id } as ServiceAccountKey
}

const noKey = (name: string) =>
  badConfig(`The secret ${name} in this deployment is not a service account key.`, {
    reason: 'login_key_refused',
    subject: name,
    hint: 'The operator must set it to the whole JSON file that Google issued for the key.',
  })

/** Signs the assertion that requests a token (RFC 7523). */
async function assertion(key: ServiceAccountKey, scope: string, name: string): Promise<string> {
  const { importPKCS8, SignJWT } = await import('./jose.mjs')
  // An error could repeat the key.
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
  new DatabaseError(
    'network',
    'Google did not return a token for the database login. Try again later.',
  )

const refusedKey = (name: string, error: unknown) =>
  badConfig(`Google refuses the key in the secret ${name}.`, {
    reason: 'login_key_refused',
    subject: name,
    code: typeof error === 'string' && /^\w{1,40}$/.test(error) ? error : undefined,
    hint: 'It was deleted or turned off, or its service account was. The operator can make another key, and set the secret again.',
  })
