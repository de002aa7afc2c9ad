import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { Tries } from '../../src/auth/server/tries.ts'

test('a wrong try costs the same, however many tries came before it', async () => {
  const stub = env.REGISTRY.get(env.REGISTRY.idFromName('tries'))
  const cost = await runInDurableObject(stub, (_: DurableObject, { storage }) => {
    let read = 0
    const exec: SqlStorage['exec'] = (statement, ...bound) => {
      const cursor = storage.sql.exec(statement, ...bound)
      const rows = cursor.toArray()
      read += cursor.rowsRead
      return Object.assign(rows.values(), { one: () => rows[0], toArray: () => rows }) as never
    }
    const tries = new Tries({ exec } as SqlStorage)
    for (let i = 0; i < 1_000; i++) tries.begin(`network ${i}`, i % 2 === 0)
    read = 0
    tries.waitOf('another')
    tries.waitOfAll()
    tries.begin('another', false)
    return read
  })
  // Three hundred rows show whether there were too many tries from all networks.
  expect(cost).toBeLessThan(320)
})
