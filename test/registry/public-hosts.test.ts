import { afterEach, describe, expect, test, vi } from 'vitest'
import { engines } from '../../src/database/engines.ts'
import { locate } from '../../src/database/index.ts'
import { words } from '../../src/database/words.ts'
import {
  allowedProblem,
  assertPublicHosts,
  PrivateHostError,
} from '../../src/registry/hosts/public-hosts.ts'
import { onceAMinute, type Resolve } from '../../src/registry/hosts/resolve.ts'

const MARKER = 'hunter2'
const urlAt = (host: string, scheme = 'postgres') =>
  `${scheme}://admin:${MARKER}@${host}/shop?application_name=${MARKER}`

/** A resolver that resolves every name to a public address. */
const everywhere: Resolve = async () => ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c']
const nowhere: Resolve = async (host) => {
  throw new Error(`${host} was asked for`)
}
const at =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses

/** The message with which a URL is refused. */
async function refusal(
  url: string,
  resolve: Resolve,
  allowed?: readonly string[],
): Promise<string> {
  const error = await assertPublicHosts(url, { resolve, allowed }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(PrivateHostError)
  const { message, stack = '', ...more } = error as PrivateHostError
  expect(message + stack + JSON.stringify(more)).not.toContain(MARKER)
  expect(message).not.toContain('admin')
  return message
}

/** Hosts that are refused as written, though a resolver reports all of them as public. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'this machine': words(
    '127.0.0.1 127.0.0.1. 127.0.0.1:5432 127.0.0.2 127.1.2.3 127.255.255.255 0.0.0.0 0.0.0.0. 0.1.2.3',
    '[::1] [::1]:5432 [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0.0.0.1] [::] [0::0]',
    'localhost LOCALHOST LocalHost localhost. localhost:5432 db.localhost DB.LocalHost. ip6-localhost',
    'localhost.localdomain ip6-loopback',
  ),
  'an address in another spelling': words(
    '2130706433 2130706433. 017700000001 0x7f000001 0X7F000001 0x7f.1 0x7F.1. 0177.0.0.1 0177.1 127.1',
    '127.0.1 127.0.0.01 127.000.000.001 0x7f.0x0.0x0.0x1 0 0.0 0x0 00 0x 0x.0x.0x.0x 1 3232235777',
    '0xc0a80101 10.1 0xa.1 192.168.257 0300.0250.1.1 2852039166 0xa9fea9fe 0251.0376.0251.0376',
    '169.16689662',
    // These are public, but some programs read 10.8.8.8.
    '010.8.8.8 8.8.8.08 0x08080808 134744072 8.8.2056',
  ),
  'a number that is not an address': words(
    '256.256.256.256 127.0.0.256 1.2.3.4.5 4294967296 4294967297 0x100000000 127.0.0.1.. 127..1',
    '.127.0.0.1 1e9 a.b.1 db.example.0x1 127.0.0.0x',
  ),
  'a private network': words(
    '10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.168.1.1. 100.64.0.1',
    '100.127.255.255 100.100.100.200 168.63.129.16 192.0.0.192 [fc00::1] [fd00::1] [fd12:3456:789a::1]',
    '[fdff:ffff::] [FD00::ABCD] [fec0::1]',
  ),
  'a link-local or metadata address': words(
    '169.254.169.254 169.254.0.1 169.254.169.254:80 169.254.169.253 169.254.170.2 [fe80::1] [febf::1]',
    '[fd00:ec2::254] [fd20:ce::254] [::ffff:169.254.169.254] metadata.google.internal metadata',
    'METADATA.GOOGLE.INTERNAL. instance-data instance-data.ec2.internal host.docker.internal',
    'kubernetes.default.svc.cluster.local',
  ),
  'a documentation, test or reserved address': words(
    '192.0.2.1 198.51.100.7 203.0.113.9 198.18.0.1 198.19.255.255 192.88.99.1 224.0.0.1 239.255.255.250',
    '240.0.0.1 255.255.255.255 192.0.0.1 192.0.0.8 [2001:db8::1] [3fff::1] [2001:2::1] [2001:10::1]',
    '192.31.196.1 192.52.193.1 192.175.48.1 [2620:4f:8000::1]',
    '[2001:20::1] [100::1] [ff02::1] [ff0e::1] [4000::1] [8000::1] [e000::1] [5f00::1] [3ffe::1]',
  ),
  'IPv4 inside IPv6': words(
    '[::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:7F00:0001] [0:0:0:0:0:ffff:127.0.0.1] [::127.0.0.1]',
    '[::7f00:1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [::ffff:8.8.8.8] [64:ff9b::a00:1]',
    '[64:ff9b::8.8.8.8] [64:ff9b:1::10.0.0.1] [2002:7f00:1::] [2002:c0a8:101::1] [2002:808:808::1]',
    '[2001::1] [2001:0:7f00:1::] [::10.0.0.1]',
  ),
  'a name inside a network': words(
    'db DB db. postgres db-1 db:5432 wpad router com internal local db.local DB.LOCAL db.local.',
    'db.internal a.b.internal db.home.arpa home.arpa db.corp db.lan nas.home db.intranet db.private',
    'db.test db.invalid db.onion',
  ),
  'characters that some programs decode': words(
    '%31%32%37.0.0.1 127%2e0%2e0%2e1 loc%61lhost %6c%6f%63alhost 127.0.0.1%00.example.com 127.0.0.1%20',
    '127.0.0.1%2eexample.com a%2eb.example.com %5b::1%5d db.example.com%2f',
    // Full-width, circled and double-struck digits and letters, and other full stops.
    '\uFF11\uFF12\uFF17.0.0.1 \u2460\u2461\u2466.0.0.1 \u{1D7D9}27.0.0.1 127\u30020\u30020\u30021',
    '127\uFF0E1 \uFF4Cocalhost \u24DBocalhost local\u00ADhost local\u200Bhost \u0667.example.com',
    'b\u00FCcher.example.com db.exampl\u0435.com',
    '127.0.0.1,db.example.com db.example.com,127.0.0.1 *.example.com',
    "a!b.example.com a;b.example.com a'b.example.com a=b.example.com a$b.example.com `id`.example.com",
    '(localhost) {localhost} ~.example.com +.example.com',
  ),
  'an invalid name': words(
    'db..example.com .example.com .. .',
    `${'a'.repeat(64)}.example.com ${'a.'.repeat(130)}com`,
  ),
  'a string that is not a URL': [
    ...words(
      '[::1%25lo] [fe80::1%eth0] [fe80::1%25eth0] [127.0.0.1] [::1 ::1 [::g] [:::1] [::1]x',
      '[1:2:3:4:5:6:7:8:9] db.example.com:5432,127.0.0.1:5432 a\\b.example.com <localhost>',
      'a|b.example.com a^b.example.com 127.0.0.1:99999',
    ),
    'a b.example.com',
    '',
  ],
}

const refused = Object.values(REFUSED).flat()
const schemes = engines.flatMap((it) => Object.keys(it.schemes))
const withoutHost = ['demo', 'd1', 'hyperdrive', 'supabase']
const SEVERAL = ['postgres', 'postgresql', 'mysql', 'mariadb']
const withHost = schemes.filter((it) => !withoutHost.includes(it))

describe.each(Object.entries(REFUSED))('refuses %s', (_, hosts) => {
  test.each(hosts)('%s', async (host) => {
    await refusal(urlAt(host), everywhere)
    // A parser drops these characters wherever they are.
    await refusal(` \n${urlAt(host).replace('//', '/\t/')}`, everywhere)
  })
})

test('refuses each of them for every engine that has a host, without a resolver', async () => {
  expect(new Set(refused).size).toBeGreaterThan(200)
  expect(withHost).toContain('clickhouses')
  for (const scheme of withHost) {
    for (const host of refused) await refusal(urlAt(host, scheme), nowhere)
    await refusal(urlAt('127.0.0.1', scheme.toUpperCase()), nowhere)
  }
})

test('refuses private hosts for schemes that no engine has', async () => {
  for (const scheme of ['http', 'https', 'ws', 'ftp', 'file', 'redis', 'mssql']) {
    for (const host of ['127.0.0.1', '127.1', 'localhost', '[::1]', 'db.internal']) {
      await refusal(urlAt(host, scheme), everywhere)
    }
  }
})

const PUBLIC = words(
  'db.example.com DB.Example.COM db.example.com. db.example.com:6543 example.com db.co.uk',
  'ep-cool-1234.eu-central-1.aws.neon.tech aws.connect.psdb.cloud shop-acme.turso.io',
  'abc.eu-west-1.aws.clickhouse.cloud db.abcdefghijklmnopqrst.supabase.co a.b.c.d.e.f.example.com',
  'my_db.example.com _db.example.com 1.example.com 127.0.0.1.example.com 10.example.com 0.pool.ntp.org',
  'xn--bcher-kva.example.com xn--80akhbyknj4f.xn--p1ai localhost.example.com local.example.com',
  'internal.example.com mylocalhost.com notlocal.io db-local.com localhost-db.net 0x7f.example.com',
  `${'a'.repeat(63)}.example.com`,
)
const PUBLIC_ADDRESSES = words(
  '8.8.8.8 1.1.1.1 9.9.9.9:5432 93.184.215.14 11.0.0.1 9.255.255.255 126.255.255.255 128.0.0.1 1.0.0.0',
  '100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.1 192.167.255.255 192.169.0.1 169.253.255.255',
  '169.255.0.1 198.17.255.255 198.20.0.1 223.255.255.255 168.63.129.15 [2606:4700::6810:84e5]',
  '[2606:4700:0:0:0:0:6810:84e5]:5432 [2a00:1450:4001:80b::200e] [2001:4860:4860::8888] [2001:200::1]',
  '[2003::1] [3ffd::1]',
)

describe('accepts', () => {
  test.each(PUBLIC)('the name %s, after it was resolved once', async (host) => {
    const resolve = vi.fn(everywhere)
    await assertPublicHosts(urlAt(host), { resolve })
    const { hostname } = new URL(urlAt(host))
    const asked = hostname.toLowerCase().replace(/\.$/, '')
    expect(resolve.mock.calls).toEqual([[asked, expect.any(AbortSignal)]])
  })

  test.each(PUBLIC_ADDRESSES)('the address %s, without asking a resolver', async (host) => {
    for (const scheme of withHost) {
      await assertPublicHosts(urlAt(host, scheme), { resolve: nowhere })
    }
  })

  test.each([
    ...['demo:', 'demo:shop', 'd1:DB', 'd1://:token@0123456789abcdef/shop', 'hyperdrive:DB'],
    'supabase://:token@abcdefghijklmnopqrst',
  ])('%s, which names no host', (url) =>
    expect(assertPublicHosts(url, { resolve: nowhere })).resolves.toBeUndefined(),
  )
})

test.each([
  'postgres:',
  'postgres:///shop',
  'mysql:shop',
  'libsql:',
  'neon:///shop',
  'secret:DB',
  '',
  'x',
])('refuses %j, which has no host', async (url) => {
  expect(await refusal(url, everywhere)).toMatch(/has no host|is not a URL/)
})

describe('the result of resolving a name', () => {
  test.each([
    ['a private address', ['10.0.0.5']],
    ['loopback', ['127.0.0.1']],
    ['IPv6 loopback', ['::1']],
    ['metadata', ['169.254.169.254']],
    ['a public address followed by a private address', ['93.184.215.14', '10.0.0.5']],
    ['a private address followed by a public address', ['10.0.0.5', '93.184.215.14']],
    ['a public IPv4 address and a private IPv6 address', ['93.184.215.14', 'fd00::5']],
    ['a public IPv6 address and a link-local address', ['2606:4700::1', 'fe80::1']],
    ['a mapped address', ['::ffff:10.0.0.5']],
    ['a translated address', ['64:ff9b::a00:5']],
    ['an address with a zone', ['fe80::1%eth0']],
    ['an address in another spelling', ['0x7f.1']],
    ['an address in brackets', ['[::1]']],
    ['a name', ['db.internal']],
    ['an empty string', ['']],
    ['a long string', [`1.${'1'.repeat(100_000)}`]],
  ])('is refused if it is %s', async (_, addresses) => {
    const message = await refusal(urlAt('db.example.com'), at(...addresses))
    expect(message).toContain('The database host db.example.com resolves to an address')
    expect(message).toContain('the operator can allow it')
    expect(message).not.toContain('10.0.0.5')
  })

  test('is refused if it is empty or fails, with a message that says how to allow it', async () => {
    const throws = () => {
      throw new Error(`at ${MARKER}`)
    }
    for (const resolve of [at(), nowhere, throws as unknown as Resolve]) {
      expect(await refusal(urlAt('db.example.com'), resolve)).toBe(
        'The database host db.example.com cannot be resolved. If this is intended, the operator can allow it: npx tidegate settings --allow-host, or the variable PRIVATE_HOSTS.',
      )
    }
  })

  test('is refused if it takes too long, even if the resolver ignores the signal', async () => {
    const never: Resolve = () => new Promise(() => {})
    const rules = { resolve: never, timeoutMs: 20 }
    await expect(assertPublicHosts(urlAt('db.example.com'), rules)).rejects.toThrow(
      'db.example.com cannot be resolved',
    )
    const listens: Resolve = (_, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    await expect(
      assertPublicHosts(urlAt('db.example.com'), { resolve: listens, timeoutMs: 20 }),
    ).rejects.toThrow('db.example.com cannot be resolved')
  })
})

describe('the host that is checked', () => {
  /** The host of the first request that a driver makes. */
  async function reached(url: string): Promise<string> {
    const hosts: string[] = []
    const fetch = async (input: RequestInfo | URL) => {
      hosts.push(new URL(String(input)).hostname)
      return new Response('{}', { status: 500 })
    }
    const io = { fetch: fetch as typeof globalThis.fetch, bindings: {} }
    const limits = { maxRows: 1, maxBytes: 1_000, timeoutMs: 1_000 }
    const database = await locate(url, io).open()
    await database.query({ sql: 'select 1' }, limits).catch(() => {})
    return hosts[0]!
  }

  const byHttp = words('neon planetscale libsql turso rqlite rqlites clickhouse clickhouses')
  test.each(byHttp)('is the host that the %s:// driver connects to', async (scheme) => {
    const path = scheme.startsWith('rqlite') ? '' : '/shop'
    for (const host of ['db.example.com', '[2606:4700::1]', '8.8.8.8']) {
      expect(await reached(`${scheme}://admin:${MARKER}@${host}${path}`)).toBe(host)
    }
  })

  test('belongs to the same company if Neon or PlanetScale is recognized by its name', async () => {
    expect(await reached('postgres://u:p@ep-1.eu.aws.neon.tech/db')).toBe('api.eu.aws.neon.tech')
    expect(await reached('mysql://u:p@aws.connect.psdb.cloud/db')).toBe('aws.connect.psdb.cloud')
  })

  test('is not the URL’s host if a company has one host for all databases', async () => {
    expect(await reached('d1://:token@127.0.0.1/shop')).toBe('api.cloudflare.com')
    expect(await reached('supabase://:token@abcdefghijklmnopqrst')).toBe('api.supabase.com')
  })
})

describe('a host in a parameter', () => {
  test.each([
    ...['HOST', 'hostaddr', 'hostname', 'server', 'service', 'socketPath', 'unix_socket'],
    ...['proxy', 'hostaddr=1.1.1.1&hostaddr'],
  ])('is refused: %s', async (name) => {
    const url = `${urlAt('db.example.com')}&${name}=127.0.0.1`
    expect(await refusal(url, everywhere)).toContain('not in the parameter')
  })

  test('is refused for drivers that do not read a host from it', async () => {
    for (const scheme of withHost.filter((it) => !SEVERAL.includes(it))) {
      const url = `${urlAt('db.example.com', scheme)}&host=db2.example.com`
      expect(await refusal(url, everywhere)).toContain('not in the parameter host')
    }
  })

  test('is not mistaken for other parameters that drivers read', async () => {
    const urls = [
      'postgres://u:p@db.example.com/shop?sslmode=require&options=endpoint%3Dep-1&application_name=x',
      'mysql://u:p@db.example.com/shop?ssl-mode=REQUIRED',
      'libsql://db.example.com?authToken=abc&tls=1',
      'rqlite://db.example.com:4001?level=none&freshness=5s&freshness_strict',
    ]
    for (const url of urls) await assertPublicHosts(url, { resolve: everywhere })
  })
})

describe('several hosts', () => {
  const forms = (hosts: readonly string[]) => [
    urlAt(hosts.join(',')),
    urlAt(hosts.map((it) => `${it}:6543`).join(',')),
    `${urlAt('db.example.com')}&host=${hosts.join(',')}`,
    `${urlAt('')}&h%6fst=${hosts.join('%2C')}`,
    `${urlAt('')}&host=db.example.com&host=${hosts.join(',')}&port=6543`,
  ]

  test('are each looked up', async () => {
    for (const url of forms(['db1.example.com', 'DB2.example.com.', '8.8.8.8'])) {
      const resolve = vi.fn(everywhere)
      await assertPublicHosts(url, { resolve })
      const asked = resolve.mock.calls.map(([host]) => host)
      expect(asked).toEqual(['db1.example.com', 'db2.example.com'])
    }
  })

  test('are refused if any of them is not public, whatever its position', async () => {
    const inner = ['10.0.0.1', '127.1', 'localhost', '[fd00::1]', 'db.internal', '%31%32%37.0.0.1']
    for (const host of inner) {
      for (const hosts of [[host], [host, 'db.example.com'], ['db.example.com', host]]) {
        for (const url of forms(hosts)) await refusal(url, everywhere)
      }
    }
    const hosts = ['db.example.com', 'db.example.org']
    const resolve: Resolve = async (host) => [host.endsWith('.org') ? '10.0.0.5' : '8.8.8.8']
    for (const url of forms(hosts)) {
      expect(await refusal(url, resolve)).toContain('host db.example.org resolves to an address')
    }
    const allowed = ['*.example.org']
    for (const url of forms(hosts)) await assertPublicHosts(url, { resolve, allowed })
  })

  test('are refused for an engine that supports only one host', async () => {
    for (const scheme of withHost.filter((it) => !SEVERAL.includes(it))) {
      await refusal(urlAt('db1.example.com,db2.example.com', scheme), everywhere)
    }
  })
})

describe('an entry from the operator', () => {
  test.each([
    ['localhost', 'localhost'],
    ['LocalHost.', 'LOCALHOST'],
    ['db', 'db'],
    ['db.internal', 'db.internal.'],
    ['*.corp.example', 'db.corp.example'],
    ['*.corp.example', 'A.B.Corp.Example'],
    ['*.Internal', 'db.internal'],
    ['10.1.0.0/16', '10.1.255.255'],
    ['10.1.2.3/16', '10.1.0.0'],
    ['10.1.2.3', '10.1.2.3'],
    ['10.1.2.3/32', '10.1.2.3'],
    ['0.0.0.0/0', '127.0.0.1'],
    ['fd12::/16', '[fd12:3456::1]'],
    ['::1', '[::1]'],
    ['FD12:0::/32', '[fd12::1]'],
    ['::/0', '[::ffff:10.0.0.1]'],
    ['*', '127.1'],
    ['*', 'localhost'],
  ])('%s allows %s, without asking a resolver', async (entry, host) => {
    await assertPublicHosts(urlAt(host), { resolve: nowhere, allowed: ['other.example', entry] })
    expect(allowedProblem(entry)).toBeUndefined()
  })

  test.each([
    ['*.corp.example', 'corp.example'],
    ['*.corp.example', 'evilcorp.example'],
    ['corp.example', 'db.corp.example'],
    ['db.internal', 'db.internal.evil'],
    ['db.internal', 'xdb.internal'],
    ['10.1.0.0/16', '10.2.0.1'],
    ['10.1.0.0/16', '0x0a010001'],
    ['10.1.0.0/16', '[::ffff:10.1.0.1]'],
    ['10.1.0.0/16', '[a01::]'],
    ['0.0.0.0/0', '[::1]'],
    ['::/0', '127.0.0.1'],
    ['127.1', '127.1'],
    ['0x7f.1', '127.0.0.1'],
    ['10.1.0.0/33', '10.1.0.1'],
    ['10.1.0.0/', '10.1.0.1'],
    ['10.1.0.0/-1', '10.1.0.1'],
    ['10.1.0.0/0x8', '10.1.0.1'],
    ['10.1.0.0/8/8', '10.1.0.1'],
    ['', 'db'],
    ['*.', 'db'],
    ['.', 'db'],
    ['**', 'db'],
    ['*.*', 'db.internal'],
    ['db.*', 'db.internal'],
    ['a%2eb.internal', 'a%2eb.internal'],
  ])('%j does not allow %s', async (entry, host) => {
    await refusal(urlAt(host), at(), [entry])
  })

  test('with addresses must cover all private addresses of a name', async () => {
    const allowed = ['10.1.0.0/16', 'fd12::/16']
    const url = urlAt('db.example.com')
    await assertPublicHosts(url, { allowed, resolve: at('10.1.2.3', 'fd12::1', '8.8.8.8') })
    await refusal(url, at('10.1.2.3', '10.2.2.3'), allowed)
    // A public resolver does not know names inside a network.
    await refusal(urlAt('db.internal'), at('10.1.2.3'), allowed)
  })

  test.each([
    ...[
      '',
      ' ',
      '*.',
      '**',
      '*.*',
      'db.*',
      '10.1.0.0/33',
      '127.1',
      '0x7f.1',
      'fd12::/129',
      '10.0.0.0/',
    ],
    ...[
      'https://db.internal',
      'db.internal:5432',
      'user@db.internal',
      'a b',
      'bücher.example',
      'a..b',
    ],
  ])('is reported as invalid: %j', (entry) => {
    expect(allowedProblem(entry)).toContain('An allowed host is')
  })
})

describe('a name that changes its address', () => {
  afterEach(() => void vi.useRealTimers())

  test('is refused when it is checked again', async () => {
    const answers = [['93.184.215.14'], ['169.254.169.254']]
    const resolve: Resolve = async () => answers.shift()!
    await assertPublicHosts(urlAt('rebind.example.com'), { resolve })
    await refusal(urlAt('rebind.example.com'), resolve)
  })

  test('is resolved once a minute if it is checked often', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    let answer = ['93.184.215.14']
    const resolve = vi.fn(async () => answer)
    const kept = onceAMinute(resolve)
    const url = urlAt('rebind.example.com')
    await assertPublicHosts(url, { resolve: kept })
    answer = ['169.254.169.254']
    vi.setSystemTime(Date.now() + 59_999)
    await assertPublicHosts(url, { resolve: kept })
    expect(resolve).toHaveBeenCalledTimes(1)
    vi.setSystemTime(Date.now() + 1)
    await refusal(url, kept)
    await refusal(url, kept)
    expect(resolve).toHaveBeenCalledTimes(2)
    answer = ['93.184.215.14']
    vi.setSystemTime(Date.now() + 60_000)
    await assertPublicHosts(url, { resolve: kept })
  })

  test('is resolved again after a failure, and after an empty result', async () => {
    const answers: (readonly string[] | Error)[] = [new Error('busy'), [], ['93.184.215.14']]
    const kept = onceAMinute(async () => {
      const answer = answers.shift()!
      if (answer instanceof Error) throw answer
      return answer
    })
    const url = urlAt('db.example.com')
    await refusal(url, kept)
    await refusal(url, kept)
    await assertPublicHosts(url, { resolve: kept })
    await assertPublicHosts(url, { resolve: kept })
    expect(answers).toEqual([])
  })

  test('is cached with at most a thousand other names', async () => {
    const resolve = vi.fn(everywhere)
    const kept = onceAMinute(resolve)
    const { signal } = new AbortController()
    for (let i = 0; i <= 1_000; i++) await kept(`h${i}.example.com`, signal)
    await kept('h1.example.com', signal)
    expect(resolve).toHaveBeenCalledTimes(1_001)
    await kept('h0.example.com', signal)
    expect(resolve).toHaveBeenCalledTimes(1_002)
  })
})

test('the longest strings are checked in linear time, and not fully repeated', async () => {
  const long = 'a.'.repeat(500_000)
  for (const host of [
    long,
    `${long}com`,
    '1.'.repeat(500_000),
    '%61'.repeat(300_000),
    '-'.repeat(1e6),
  ]) {
    const message = await refusal(urlAt(host), everywhere, ['*.corp.example', '10.0.0.0/8'])
    expect(message.length).toBeLessThan(500)
  }
  const name = `${'*.'.repeat(100_000)}example`
  expect(allowedProblem(name)).toBeDefined()
})
