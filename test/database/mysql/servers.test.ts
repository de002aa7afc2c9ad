import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Limits } from '../../../src/database/rows.ts'
import { mysqlReport } from '../../servers/faulty.ts'
import { passOn, startTcp, type TcpServer } from '../../servers/tcp.ts'
import { failure } from '../../support/failure.ts'
import { openOn, testMachine } from '../../support/machine.ts'
import { describeMariaDb, orNone } from '../../support/mariadb.ts'
import { open } from '../../support/open.ts'
import { startOwnMariaDb } from '../../support/own-mariadb.ts'

const limits: Limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: 6_000 }
const io = { fetch, bindings: {} }

const replica = await orNone(() => startOwnMariaDb('select 1', ['--read-only']))

await describeMariaDb('A MariaDB URL with several hosts', 'select 1', (primary) => {
  const { reader, database } = primary
  const servers: TcpServer[] = []
  /** The number of connections to each server. */
  const asked: Record<string, number> = {}
  const at: Record<string, string> = {}

  const serve = async (name: string, ...then: Parameters<typeof startTcp>) => {
    asked[name] = 0
    const server = await startTcp((socket) => {
      asked[name]!++
      then[0](socket)
    })
    servers.push(server)
    at[name] = `127.0.0.1:${server.port}`
  }
  beforeAll(async () => {
    await serve('primary', (socket) => passOn(socket, primary.port))
    if (replica) {
      await replica.admin(`create database ${database}; create user ${reader}@'%';
        grant select on ${database}.* to ${reader}@'%'`)
      await serve('replica', (socket) => passOn(socket, replica.port))
    }
    await serve('dead', (socket) => void socket.destroy())
    await serve('silent', () => {})
    await serve('full once', (socket) => {
      if (asked['full once']! > 1) return passOn(socket, primary.port)
      socket.end(mysqlReport(1040, 'Too many connections'))
    })
  })
  afterAll(async () => {
    await replica?.drop()
    await Promise.all(servers.map((it) => it.close()))
  })

  const opened = (hosts: readonly string[], target: string) =>
    open(
      `mysql://${reader}@${hosts.map((it) => at[it]).join(',')}/${database}?target_session_attrs=${target}`,
      io,
    )
  /** The server that answers, found by its port, for an internal statement or the caller's. */
  const ask = async (of: ReturnType<typeof opened>, internal: boolean) => {
    const { rows } = await of.query({ sql: 'select @@port', internal }, limits)
    return rows[0]?.[0] === primary.port ? 'primary' : 'replica'
  }
  /** The number of new connections to each server during this work. */
  const counted = async (work: () => Promise<unknown>) => {
    const before = { ...asked }
    await work()
    const now = Object.entries(asked).map(([it, n]) => [it, n - before[it]!] as const)
    return Object.fromEntries(now.filter(([, n]) => n > 0))
  }

  describe.skipIf(!replica).each([true, false])('with internal statements: %s', (ours) => {
    test.each([
      [['primary', 'replica'], 'any', 'primary'],
      [['replica', 'primary'], 'any', 'replica'],
      [['primary', 'replica'], 'primary', 'primary'],
      [['replica', 'primary'], 'primary', 'primary'],
      [['replica', 'primary'], 'read-write', 'primary'],
      [['primary', 'replica'], 'standby', 'replica'],
      [['primary', 'replica'], 'read-only', 'replica'],
      [['primary', 'replica'], 'prefer-standby', 'replica'],
      [['primary', 'primary'], 'prefer-standby', 'primary'],
      [['dead', 'primary', 'replica'], 'standby', 'replica'],
      [['dead', 'primary'], 'prefer-standby', 'primary'],
    ])('with %j and %s, uses the %s', async (hosts, target, expected) => {
      const its = opened(hosts, target)
      expect(await ask(its, ours)).toBe(expected)
      // The choice is remembered for a while.
      expect(await counted(async () => expect(await ask(its, ours)).toBe(expected))).toEqual({
        [expected]: 1,
      })
    })
  })

  test.skipIf(!replica).each([
    [['primary'], 'standby'],
    [['primary', 'primary'], 'read-only'],
    [['replica', 'dead'], 'primary'],
  ])('reports that none of %j is %s', async (hosts, target) => {
    const error = await failure(ask(opened(hosts, target), false))
    expect(error).toMatchObject({
      kind: 'network',
      message: `None of the database servers is ${target} at the moment.`,
    })
  })

  test('answers when a server hangs, and then avoids that server', async () => {
    const its = opened(['silent', 'primary'], 'any')
    expect(await ask(its, false)).toBe('primary')
    expect(await counted(() => ask(its, false))).toEqual({ primary: 1 })
  })

  test('tries a full server again when the other one is dead', async () => {
    expect(await ask(opened(['full once', 'dead'], 'any'), false)).toBe('primary')
  })

  test('fails when no server answers', async () => {
    const its = opened(['silent', 'dead', 'silent'], 'any')
    const error = await failure(its.query({ sql: 'select 1' }, { ...limits, timeoutMs: 600 }))
    expect(error.kind).toMatch(/network|timeout/)
  })

  test('reports a wrong login even if the next server is dead', async () => {
    const url = `mysql://nobody@${at.primary},${at.dead}/${database}`
    const error = await failure(open(url, io).query({ sql: 'select 1' }, limits))
    expect(error.kind).toBe('auth')
  })

  describe.skipIf(!replica)('with pooled connections', () => {
    const machine = testMachine()
    afterAll(() => machine.close())
    const kept = (hosts: readonly string[], target: string) => {
      const places = hosts.map((it) => at[it]).join(',')
      return openOn(
        machine,
        `mysql://${reader}@${places}/${database}?target_session_attrs=${target}`,
      )
    }
    const isReplica = (is: boolean) => replica!.admin(`set global read_only = ${is ? 1 : 0}`)

    test.each(['standby', 'primary', 'prefer-standby'])(
      'reuses the connection for %s',
      async (target) => {
        const its = await kept(['primary', 'replica'], target)
        const expected = target === 'primary' ? 'primary' : 'replica'
        expect(await ask(its, false)).toBe(expected)
        expect(await counted(async () => expect(await ask(its, true)).toBe(expected))).toEqual({})
      },
    )

    test.each([true, false])(
      'notices that a server has changed its role, with internal statements: %s',
      async (ours) => {
        const its = await kept(['replica', 'primary'], `standby&connection_limit=${ours ? 1 : 2}`)
        const other = await kept(['primary', 'replica'], `primary&connection_limit=${ours ? 1 : 2}`)
        for (const it of [its, other])
          await Promise.all(Array.from({ length: 4 }, () => ask(it, ours)))
        await isReplica(false)
        const error = await failure(ask(its, ours))
        expect(error.message).toBe('None of the database servers is standby at the moment.')
        expect(await ask(other, ours)).toBe('primary')
        await isReplica(true)
        expect(await ask(its, ours)).toBe('replica')
      },
    )
  })
})
