import { afterEach, describe, expect, test, vi } from 'vitest'
import { tokenLogin, withPassword } from '../../../src/database/iam/token-login.ts'
import { rdsTokenFault } from '../../servers/rds-token.ts'
import { failure } from '../../support/failure.ts'

afterEach(() => vi.useRealTimers())

const bindings = { AWS_ACCESS_KEY_ID: 'akid', AWS_SECRET_ACCESS_KEY: 'skid' }
const login = (text: string, user = 'someusername') => {
  const { hostname: host, password, searchParams } = new URL(text)
  return tokenLogin(searchParams, { host, port: 3306, user, password })
}
const { signal } = new AbortController()
const made = async (url: string, secrets: object = bindings, user?: string) => {
  const io = { fetch, bindings: { ...secrets } }
  return (await withPassword({ password: '', token: login(url, user) }, io, signal)).password
}

const HOST = 'prod-instance.us-east-1.rds.amazonaws.com'
const SIGNATURE = 'd1138cdbc0ca63eec012ec0fc6c2267e03642168f5884a7795320d4c18374c61'

describe('an RDS token', () => {
  test('has the signature from the tests of the AWS SDK for Python', async () => {
    vi.useFakeTimers({ now: Date.UTC(2016, 10, 7, 17, 39, 33), toFake: ['Date'] })
    const token = await made(`mysql://x@${HOST}:3306/db?auth=rds-iam`)
    expect(token.split('/?')[0]).toBe(`${HOST}:3306`)
    expect(Object.fromEntries(new URL(`https://${token}`).searchParams)).toEqual({
      Action: 'connect',
      DBUser: 'someusername',
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Date': '20161107T173933Z',
      'X-Amz-SignedHeaders': 'host',
      'X-Amz-Expires': '900',
      'X-Amz-Credential': 'akid/20161107/us-east-1/rds-db/aws4_request',
      'X-Amz-Signature': SIGNATURE,
    })
    // The verifier that other tests use accepts this token, and refuses others.
    const server = {
      host: `${HOST}:3306`,
      region: 'us-east-1',
      keys: { akid: { secret: 'skid' } },
    }
    const now = Date.now()
    const fault = (it: string, more = {}, at = now) =>
      rdsTokenFault(it, 'someusername', { ...server, ...more }, at)
    expect(fault(token)).toBeUndefined()
    expect(fault(token, {}, now + 901_000)).toBe('old')
    expect(fault(token.replace(SIGNATURE.slice(-3), '000'))).toBe('another signature')
    expect(fault(token, { keys: { akid: { secret: 'other' } } })).toBe('another signature')
    expect(fault(token, { region: 'us-east-2' })).toBe('another scope')
  })

  test.each([
    ['db.abc.eu-west-1.rds.amazonaws.com', '', 'eu-west-1'],
    ['shop.cluster-ro-abc.ap-southeast-2.rds.amazonaws.com', '', 'ap-southeast-2'],
    ['shop.proxy-abc.us-gov-west-1.rds.amazonaws.com', '', 'us-gov-west-1'],
    ['db.abc.rds.cn-north-1.amazonaws.com.cn', '', 'cn-north-1'],
    ['DB.abc.EU-west-1.rds.amazonaws.com', '', 'eu-west-1'],
    ['db.example.com', '&region=eu-central-1', 'eu-central-1'],
    ['db.abc.eu-west-1.rds.amazonaws.com', '&region=eu-west-3', 'eu-west-3'],
  ])('for %s%s has the region %s', async (host, more, region) => {
    const token = await made(`postgres://x@${host}/db?auth=rds-iam${more}`)
    const server = {
      host: `${host.toLowerCase()}:3306`,
      region,
      keys: { akid: { secret: 'skid' } },
    }
    expect(rdsTokenFault(token, 'someusername', server)).toBeUndefined()
  })

  test('supports special characters, temporary keys and secrets with a newline', async () => {
    const name = "a b+c/d=e&f'(g)*~é@h"
    const secrets = {
      SALES_AWS_ACCESS_KEY_ID: 'ASIAX\n',
      SALES_AWS_SECRET_ACCESS_KEY: 'a/b+c=\n',
      SALES_AWS_SESSION_TOKEN: 'IQo+/==',
      ...bindings,
    }
    const url = `mysql://x@${HOST}/db?auth=rds-iam&credentials=SALES`
    const token = await made(url, secrets, name)
    const keys = { ASIAX: { secret: 'a/b+c=', session: 'IQo+/==' } }
    const server = { host: `${HOST}:3306`, region: 'us-east-1', keys }
    expect(rdsTokenFault(token, name, server)).toBeUndefined()
  })

  test.each([
    ['AWS_ACCESS_KEY_ID', '', { AWS_SECRET_ACCESS_KEY: 'x' }],
    ['AWS_SECRET_ACCESS_KEY', '', { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: ' ' }],
    ['SALES_AWS_ACCESS_KEY_ID', '&credentials=SALES', bindings],
  ])('needs the secret %s', async (name, more, secrets) => {
    const error = await failure(made(`mysql://x@${HOST}/db?auth=rds-iam${more}`, secrets))
    expect(error).toMatchObject({
      kind: 'config',
      message: `This deployment has no secret ${name}, which the login to this database needs.`,
      hint: `The operator can set it: in a Worker with npx wrangler secret put ${name}, elsewhere in the environment.`,
    })
  })

  test.each([
    ['mysql://x@db.example.com/db?auth=rds-iam', /must contain the region/],
    ['mysql://x@db.example.com/db?auth=rds-iam&region=nowhere', /must contain the region/],
    ['mysql://x@h/db?auth=iam', /must be one of rds-iam, cloudsql-iam, alloydb-iam\./],
    ['mysql://x@h/db?auth=toString', /must be one of rds-iam/],
    ['mysql://x:y@h/db?auth=rds-iam&region=eu-west-1', /^Leave the password out/],
    ['mysql://x@h/db?auth=rds-iam&region=eu-west-1&credentials=TIDEGATE_KEY%00', /in capitals/],
    ['mysql://x@h/db?auth=rds-iam&region=eu-west-1&credentials=', /in capitals/],
  ])('is refused for the URL %s', (url, sentence) => {
    expect(() => login(url)).toThrow(sentence)
  })
})
