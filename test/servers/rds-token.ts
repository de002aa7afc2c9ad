import { createHash, createHmac } from 'node:crypto'

/** The name of an RDS server, and the keys that can log in. */
export interface RdsServer {
  /** Its name and port for clients. */
  readonly host: string
  readonly region: string
  /** The secret of each access key, and the session token of a temporary one. */
  readonly keys: Readonly<Record<string, { readonly secret: string; readonly session?: string }>>
}

/**
 * Returns the error in a token for an RDS server, if there is one. It verifies the token as AWS documents it
 * for signed URLs, and shares no code with the client:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function rdsTokenFault(
  token: string,
  user: string,
  { host, region, keys }: RdsServer,
  now = Date.now(),
): string | undefined {
  const [place, search = ''] = token.split('/?')
  if (place !== host) return 'another host'
  const asked = new Map(
    search.split('&').map((it): [string, string] => {
      const [name = '', value = ''] = it.split('=')
      return [decodeURIComponent(name), decodeURIComponent(value)]
    }),
  )
  if (asked.get('Action') !== 'connect' || asked.get('DBUser') !== user) return 'another user'
  if (asked.get('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') return 'another algorithm'
  if (asked.get('X-Amz-SignedHeaders') !== 'host') return 'other headers'

  const at = asked.get('X-Amz-Date') ?? ''
  const made = Date.parse(at.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'))
  const lifeMs = Number(asked.get('X-Amz-Expires')) * 1_000
  if (!(lifeMs <= 900_000) || !(now - made <= lifeMs) || !(made - now <= 300_000)) return 'old'

  const [id = '', ...scope] = (asked.get('X-Amz-Credential') ?? '').split('/')
  const day = at.slice(0, 8)
  if (scope.join('/') !== `${day}/${region}/rds-db/aws4_request`) return 'another scope'
  const key = Object.hasOwn(keys, id) ? keys[id]! : undefined
  if (!key) return 'an unknown key'
  if (asked.get('X-Amz-Security-Token') !== key.session) return 'another session'

  const canonical = [...asked]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map((pair) => pair.map(encoded).join('='))
    .sort()
    .join('&')
  const request = ['GET', '/', canonical, `host:${host}`, '', 'host', sha256('')].join('\n')
  const text = ['AWS4-HMAC-SHA256', at, scope.join('/'), sha256(request)].join('\n')
  const signing = [day, region, 'rds-db', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${key.secret}`,
  )
  return hmac(signing, text).toString('hex') === asked.get('X-Amz-Signature')
    ? undefined
    : 'another signature'
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** Encodes everything except letters, digits and `-._~`, as in RFC 3986. */
const encoded = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`,
  )
