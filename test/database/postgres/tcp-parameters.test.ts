import { afterEach, describe, expect, test, vi } from 'vitest'
import { accessOf } from '../../../src/database/postgres/libpq/login.ts'
import { databaseUrl } from '../../../src/database/transport/hosts.ts'
import { failure, MARKER } from '../../support/failure.ts'

const read = (params: string, host = 'db.example.com') =>
  accessOf(databaseUrl(`postgres://app:${MARKER}@${host}/shop?${params}`))
const login = (params: string, host?: string) => read(params, host).servers.all[0]!
const refusal = async (params: string, host?: string) => {
  const { kind, message } = await failure(() => read(params, host))
  expect(kind).toBe('config')
  return message
}

afterEach(() => vi.unstubAllGlobals())

describe('a libpq parameter', () => {
  test.each([
    ['', 'always'],
    ['sslmode=disable', 'never'],
    ['sslmode=allow', 'allow'],
    ['sslmode=prefer', 'prefer'],
    ['sslmode=require', 'always'],
    ['sslmode=verify-ca', 'always'],
    ['sslmode=verify-full', 'always'],
    ['ssl=true', 'always'],
    ['requiressl=1', 'always'],
    ['requiressl=0', 'prefer'],
    ['sslmode=disable&sslmode=verify-full', 'always'],
    ['sslrootcert=system', 'always'],
    ['sslrootcert=system&sslmode=verify-full', 'always'],
  ])('sets the TLS mode: %j', (params, tls) => {
    expect(login(params).tls).toBe(tls)
  })

  test('can require TLS on this machine, where the default is no TLS', () => {
    const tls = (params: string, host: string) => login(params, host).tls
    expect(tls('', 'localhost')).toBe('never')
    expect(tls('', 'localhost,[::1]:1')).toBe('never')
    expect(tls('', 'localhost,db.example.com')).toBe('always')
    expect(tls('sslrootcert=system', 'localhost')).toBe('always')
    expect(tls('sslnegotiation=direct', 'localhost')).toBe('always')
  })

  test('sets the login, the hosts and the timeout', () => {
    expect(login('user=ann&dbname=books&application_name=x&options=-c%20a%3Db')).toMatchObject({
      ...{ user: 'ann', database: 'books', name: 'x', options: '-c a=b', port: 5432 },
    })
    expect(login('fallback_application_name=y').name).toBe('y')
    expect(login('').name).toBe('tidegate')
    expect(login('password=other').password).toBe('other')
    expect(read('connect_timeout=3').connectMs).toBe(3_000)
    expect(read('connect_timeout=0').connectMs).toBe(undefined)
    expect(read('load_balance_hosts=random&target_session_attrs=standby')).toMatchObject({
      ...{ random: true, target: 'standby' },
    })
    const hosts = read('', '[2001:db8::1]:5,two').servers.all.map(({ host, port }) => [host, port])
    expect(hosts).toEqual([
      ['2001:db8::1', 5],
      ['two', 5432],
    ])
  })

  test.each([
    ...['sslnegotiation=postgres', 'sslcertmode=disable', 'sslsni=1', 'channel_binding=prefer'],
    ...['gssencmode=disable', 'gssencmode=prefer', 'krbsrvname=x', 'client_encoding=utf8'],
    ...['keepalives=0&keepalives_idle=3', 'sslcompression=1', 'ssl_min_protocol_version=TLSv1.2'],
    ...['replication=false', 'schema=public&pgbouncer=true&connection_limit=1'],
  ])('is ignored if it changes nothing: %s', (params) => {
    expect(login(params)).toEqual(login(''))
  })

  test.each([
    ['sslmode=strict', 'must be one of disable, allow'],
    ['sslmode=', 'must be one of disable, allow'],
    ['ssl=false', 'use sslmode'],
    ['sslrootcert=/etc/ca.pem', 'put Hyperdrive in front'],
    ['sslrootcert=system&sslmode=require', 'must be verify-full'],
    ['sslcert=a&sslkey=b', 'a client certificate'],
    ['sslcertmode=require', 'a client certificate'],
    ['sslcrl=a', 'revoked certificates'],
    ['sslsni=0', 'which is always sent here'],
    ['channel_binding=require', 'set it to prefer'],
    ['gssencmode=require', 'Kerberos'],
    ['require_auth=scram-sha-256', 'cannot be guaranteed'],
    ['ssl_min_protocol_version=TLSv1.3', 'more than TLSv1.2'],
    ['ssl_max_protocol_version=TLSv1.1', 'an old TLS'],
    ['sslnegotiation=fast', 'must be one of postgres, direct'],
    ['sslnegotiation=direct&sslmode=prefer', 'must be require, verify-ca or verify-full'],
    ['connect_timeout=soon', 'must be a number of seconds'],
    ['target_session_attrs=fast', 'must be one of any, read-write'],
    ['load_balance_hosts=on', 'must be one of disable, random'],
    ['hostaddr=10.0.0.1', 'Write the address as the host'],
    ['passfile=x', 'refers to a file'],
    ['service=x', 'refers to a file'],
    ['replication=database', 'requests replication'],
    [
      'target_session_attr=standby',
      'has the parameter target_session_attr, which PostgreSQL does not support',
    ],
    ['SSLMODE=disable', 'has a parameter, which PostgreSQL does not support'],
    [`${MARKER}-x%40y=1`, 'has a parameter, which PostgreSQL does not support'],
  ])('is refused with a clear message: %s', async (params, sentence) => {
    expect(await refusal(params)).toContain(sentence)
    // The same applies to a host on this machine.
    expect(await refusal(params, 'localhost')).toContain(sentence)
    expect(await refusal(params)).toMatch(
      /must be|[Ww]rite |[Rr]emove (?:it|this parameter|the parameter)|[Pp]ut Hyperdrive/,
    )
  })

  test('is refused in a Worker if it requires direct TLS negotiation', async () => {
    expect(login('sslnegotiation=direct')).toMatchObject({ direct: true, tls: 'always' })
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
    expect(await refusal('sslnegotiation=direct')).toContain('which a Worker cannot do')
  })
})
