import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { engines } from '../../src/database/engines.ts'
import { DatabaseError, locate } from '../../src/database/index.ts'

vi.mock('cloudflare:workers', () => import('../../src/node/workers.ts'))

const { checkedWay } = await import('../../src/node/checked-way.ts')
const { certificateOf } = await import('../../src/node/certificate.ts')
const { machineWith } = await import('../../src/node/machine.ts')

/** A server in the private network. It counts connections, and never answers. */
const sockets = new Set<Socket>()
let came = 0
const server = createServer((socket) => {
  came++
  sockets.add(socket.on('error', () => {}))
  setTimeout(() => socket.destroy(), 20)
})
let port = 0
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  for (const it of sockets) it.destroy()
  server.close()
})

const NAME = 'rebind.example'

/** URLs for the schemes of all engines, with a name that anyone can register. Schemes without a host have none. */
const URLS: Readonly<Record<string, readonly string[]>> = {
  demo: [],
  d1: [],
  hyperdrive: [],
  // Files, which a guest's machine does not provide.
  sqlite: [],
  file: [],
  // The host is always that of Supabase.
  supabase: [],
  postgres: ['postgres://u:p@HOST/db', 'postgres://u:p@HOST/db?sslmode=disable'],
  postgresql: ['postgresql://u:p@HOST/db', 'postgres://u:p@HOST,HOST/db'],
  neon: ['neon://u:p@NAME/db'],
  mysql: ['mysql://u:p@HOST/db', 'mysql://u:p@HOST/db?ssl-mode=DISABLED'],
  mariadb: ['mariadb://u:p@HOST/db'],
  planetscale: ['planetscale://u:p@NAME/db'],
  libsql: ['libsql://HOST?authToken=x', 'libsql://HOST?tls=0&authToken=x'],
  turso: ['turso://HOST?authToken=x'],
  rqlite: ['rqlite://u:p@HOST'],
  rqlites: ['rqlites://u:p@HOST'],
  clickhouse: ['clickhouse://u:p@HOST/db'],
  clickhouses: ['clickhouses://u:p@HOST/db'],
}

const schemes = engines.flatMap((it) => Object.keys(it.schemes))
const cases = schemes.flatMap((it) =>
  (URLS[it] ?? []).map((url) => url.replaceAll('HOST', `${NAME}:PORT`).replaceAll('NAME', NAME)),
)

/** A guest's machine whose resolver returns these addresses, one list for each lookup. */
function guestWith(answers: readonly (readonly string[])[], allowed: readonly string[] = []) {
  const asked: string[] = []
  const lookup = ((name: string, _: object, tell: (...said: unknown[]) => void) => {
    const found = answers[Math.min(asked.length, answers.length - 1)]!
    asked.push(name)
    const all = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    queueMicrotask(() => tell(null, all))
  }) as never
  const way = checkedWay(allowed, undefined, lookup)
  const machine = machineWith({}).guest!(allowed)
  return { asked, machine: { ...machine, dial: way.dial, fetch: way.fetch }, way }
}

/** Queries the database of a URL, as the gateway does for a URL in the registry. */
async function ask(url: string, { machine }: Pick<ReturnType<typeof guestWith>, 'machine'>) {
  const io = { fetch: machine.fetch, bindings: {}, waitUntil: () => {}, machine }
  const database = await locate(url.replaceAll('PORT', `${port}`), io).open()
  const asked = database.query({ sql: 'select 1' }, { timeoutMs: 5_000, rows: 1 } as never)
  return asked.then(
    () => undefined,
    (error: unknown) => error,
  )
}

test('the list of URLs has every scheme of every engine', () => {
  expect(schemes.filter((it) => !(it in URLS))).toEqual([])
  expect(cases.length).toBeGreaterThan(12)
})

describe('a name that resolves to the private network when it is dialed', () => {
  test.each(cases)('is refused: %s', async (url) => {
    const before = came
    const guest = guestWith([['127.0.0.1']])
    const error = await ask(url, guest)
    expect(guest.asked).toContain(NAME)
    expect(error).toBeInstanceOf(DatabaseError)
    expect((error as Error).message).toContain('Its host is not public')
    expect(came).toBe(before)
    await guest.way.close()
  })

  test.each(cases.filter((it) => it.includes('PORT')))(
    'is reached if it is allowed: %s',
    async (url) => {
      for (const allowed of [NAME, '127.0.0.0/8', '*.example']) {
        const before = came
        const guest = guestWith([['127.0.0.1']], [allowed])
        await ask(url, guest)
        expect(came).toBeGreaterThan(before)
        await guest.way.close()
      }
    },
  )
})

describe('an address', () => {
  const dial = (answers: readonly (readonly string[])[], host = NAME) => {
    const { way } = guestWith(answers)
    return way.dial(host, port, AbortSignal.timeout(5_000))
  }

  test.each([
    [['127.0.0.1']],
    [['8.8.8.8', '127.0.0.1']],
    [['10.0.0.1']],
    [['169.254.169.254']],
    [['::1']],
    [['fd00::1']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::7f00:1']],
    [['0.0.0.0']],
  ])('is not dialed if any address of its name is not public: %j', async (addresses) => {
    const before = came
    await expect(dial([addresses])).rejects.toThrow('Its host is not public')
    expect(came).toBe(before)
  })

  test('is the one that was checked, because the name is looked up only once', async () => {
    const dialled: string[] = []
    const asked: string[] = []
    const lookup = ((name: string, _: object, tell: (...said: unknown[]) => void) => {
      asked.push(name)
      tell(null, [{ address: asked.length === 1 ? '8.8.8.8' : '127.0.0.1', family: 4 }])
    }) as never
    const way = checkedWay(
      [],
      async (host) => {
        dialled.push(host)
        throw new Error('no network here')
      },
      lookup,
    )
    await expect(way.dial(NAME, 1, AbortSignal.timeout(5_000))).rejects.toThrow('no network')
    expect([asked, dialled]).toEqual([[NAME], ['8.8.8.8']])
  })

  test('cannot be the path of a socket', async () => {
    for (const host of ['/run/postgresql', '', 'a/b']) {
      await expect(dial([['8.8.8.8']], host)).rejects.toThrow('Its host is not public')
    }
  })

  test('is not awaited after the call has ended', async () => {
    const way = checkedWay([], undefined, (() => {}) as never)
    await expect(way.dial(NAME, 1, AbortSignal.timeout(50))).rejects.toThrow()
  })
})

test.each(['EMFILE', 'ENFILE'])(
  'a dial without a free file descriptor is an error with a reason: %s',
  async (code) => {
    const fault = Object.assign(new Error(`connect ${code} 8.8.8.8`), { code })
    const failing = ((_: string, __: object, tell: (error: Error) => void) => tell(fault)) as never
    const found = ((_: string, __: object, tell: (...said: unknown[]) => void) =>
      tell(null, [{ address: '8.8.8.8', family: 4 }])) as never
    for (const way of [
      checkedWay([], undefined, failing),
      checkedWay([], () => Promise.reject(fault), found),
    ]) {
      const error = await way.dial(NAME, 1, AbortSignal.timeout(5_000)).catch((it) => it)
      expect(error).toBeInstanceOf(DatabaseError)
      expect([error.kind, error.reason]).toEqual(['network', 'no_descriptor'])
      expect(error.message).not.toContain(code)
      expect(await way.fetch(`http://${NAME}/`).catch((it) => it.reason)).toBe('no_descriptor')
      await way.close()
    }
  },
)

test('reading a certificate uses the same address check', async () => {
  const before = came
  const { asked, way } = guestWith([['127.0.0.1']])
  for (const protocol of ['postgresql', 'mysql'] as const) {
    expect(await certificateOf({ protocol, host: NAME, port }, way.dial)).toBe(undefined)
  }
  const place = { protocol: 'postgresql', host: '127.0.0.1', port } as const
  expect(await machineWith({}).guest!([]).certificate!(place)).toBe(undefined)
  expect([asked, came]).toEqual([[NAME, NAME], before])
})
