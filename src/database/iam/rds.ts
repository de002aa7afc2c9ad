import { badConfig } from '../error.ts'
import { type IamLogin, type LoginPlace, neededSecret, secretOf } from './way.ts'

/** Lifetime of a token, in seconds. RDS refuses older tokens. */
const EXPIRES_S = '900'

/**
 * Amazon RDS and Aurora, where the token is a signed URL that is never fetched. It is valid for one host, port and
 * user.
 * https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.IAMDBAuth.html
 */
export const rds: IamLogin = {
  service: 'RDS',
  hint: 'The operator must check that IAM authentication is on, that the user has the role rds_iam (on MySQL: AWSAuthenticationPlugin), that the policy allows rds-db:connect for this user with the resource ID of the database, and that the host is the one that AWS gave it.',
  check: (place) => void regionOf(place),
  async token(place, io) {
    const { host, port, user } = place
    const asked = new URLSearchParams({ Action: 'connect', DBUser: user })
    asked.set('X-Amz-Expires', EXPIRES_S)
    const id = neededSecret(io, place, 'AWS_ACCESS_KEY_ID')
    const secret = neededSecret(io, place, 'AWS_SECRET_ACCESS_KEY')
    const session = secretOf(io, place, 'AWS_SESSION_TOKEN')
    const { AwsV4Signer } = await import('./aws4fetch.mjs')
    const signer = new AwsV4Signer({
      url: `https://${host}:${port}/?${asked}`,
      accessKeyId: id.value,
      secretAccessKey: secret.value,
      ...(session.value !== '' && { sessionToken: session.value }),
      service: 'rds-db',
      region: regionOf(place),
      signQuery: true,
    })
    const { url } = await signer.sign()
    // In a signed URL, a space is %20.
    return url.href.slice('https://'.length).replaceAll('+', '%20')
  },
}

const REGION = /^[a-z]{2,8}(?:-[a-z]{1,12}){1,3}-\d{1,2}$/

/** Patterns for the region in RDS hosts: `….eu-west-1.rds.amazonaws.com`, or the reverse order in China. */
const HOSTS = [
  /\.([a-z\d-]{1,40})\.rds\.amazonaws\.com$/,
  /\.rds\.([a-z\d-]{1,40})\.amazonaws\.com\.cn$/,
]

/** Reads the region from the URL's parameter or from its host. Throws {@link DatabaseError}. */
function regionOf({ host, region }: LoginPlace): string {
  const name = host.toLowerCase().slice(-253)
  const found = region ?? HOSTS.map((it) => it.exec(name)?.[1]).find((it) => it !== undefined)
  if (found && REGION.test(found)) return found
  throw badConfig(
    'The database URL must contain the region of its RDS database, such as region=eu-west-1.',
  )
}
