import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startHrana } from '../servers/hrana.ts'
import { TOKEN } from '../servers/sqlite-child.ts'
import { makeKeys, startBastion } from '../servers/ssh.ts'
import { spawned } from '../support/spawned.ts'

const keys = makeKeys()
const [bastion, hrana] = await Promise.all([
  startBastion({ lets: [keys] }),
  startHrana(['create table t (n integer)', 'insert into t values (42)']),
])
const folder = mkdtempSync(join(tmpdir(), 'tidegate-command-ssh-'))
writeFileSync(join(folder, 'key'), keys.private)
writeFileSync(join(folder, 'hosts'), bastion.line)

afterAll(async () => {
  await bastion.close()
  hrana.close()
  rmSync(folder, { recursive: true })
})

const url = `libsql://127.0.0.1:${hrana.port}?authToken=${TOKEN}`
const QUERY = { name: 'query', arguments: { sql: 'select n from t' } }

const through = (known: string, server = `jump@127.0.0.1:${bastion.port}`) =>
  spawned([url, '--ssh', server, '--ssh-key', join(folder, 'key')], {
    SSH_KNOWN_HOSTS: join(folder, known),
  })

test('npx tidegate reaches a database through --ssh, and leaves the server when it ends', async () => {
  const command = through('hosts')
  const { result } = await command.ask('tools/call', QUERY)
  expect(result.structuredContent).toMatchObject({ rows: [[42]] })
  expect(bastion.ways).toContain(`127.0.0.1:${hrana.port}`)
  expect(bastion.logins()).toBe(1)
  command.end()
  expect(await command.over).toEqual([0, null])
  await expect.poll(bastion.open).toBe(0)
})

test('a caller reads that nobody knows the server, and its key', async () => {
  writeFileSync(join(folder, 'none'), '')
  const command = through('none')
  const { result } = await command.ask('tools/call', QUERY)
  expect(result.isError).toBe(true)
  expect(result.content[0].text).toMatch(/is not among the known hosts\..* SHA256:/)
  command.end()
  await command.over
})

test('what is wrong with --ssh is told at once', async () => {
  const command = through('hosts', 'jump at the bastion')
  command.end()
  expect((await command.over)[0]).not.toBe(0)
  expect(command.logs()).toContain('Write the SSH server as user@bastion')
})
