import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startHrana } from '../servers/hrana.ts'
import { TOKEN } from '../servers/sqlite-child.ts'
import { spawned } from '../support/spawned.ts'
import { startSshd } from '../support/sshd.ts'

const [sshd, hrana] = await Promise.all([
  startSshd(),
  startHrana(['create table t (n integer)', 'insert into t values (42)']),
])
const folder = mkdtempSync(join(tmpdir(), 'tidegate-command-ssh-'))

afterAll(async () => {
  await sshd?.close()
  hrana.close()
  rmSync(folder, { recursive: true })
})

const url = `libsql://127.0.0.1:${hrana.port}?authToken=${TOKEN}`
const QUERY = { name: 'query', arguments: { sql: 'select n from t' } }
const { SSH_TUNNEL, SSH_KEY, ...files } = sshd?.variables ?? {}

const through = (server = SSH_TUNNEL!, more: Record<string, string> = {}) =>
  spawned([url, '--ssh', server, '--ssh-key', SSH_KEY!], { ...files, ...more })

test.skipIf(!sshd)(
  'npx tidegate reaches a database through --ssh, and ends ssh when it ends',
  async () => {
    const command = through()
    const { result } = await command.ask('tools/call', QUERY)
    expect(result.structuredContent).toMatchObject({ rows: [[42]] })
    expect(sshd!.ways()).toContain(`127.0.0.1 port ${hrana.port}`)
    expect(sshd!.clients()).toBeGreaterThan(0)
    command.end()
    expect(await command.over).toEqual([0, null])
    await expect.poll(sshd!.clients).toBe(0)
  },
)

test.skipIf(!sshd)('ssh ends when the command is killed', async () => {
  const command = through()
  await command.ask('tools/call', QUERY)
  expect(sshd!.clients()).toBeGreaterThan(0)
  command.child.kill('SIGKILL')
  await command.over
  await expect.poll(sshd!.clients).toBe(0)
})

test.skipIf(!sshd)('a caller reads that the SSH server is unknown, and its key', async () => {
  const known = join(folder, 'none')
  writeFileSync(known, '')
  const command = through(SSH_TUNNEL, { SSH_KNOWN_HOSTS: known })
  const { result } = await command.ask('tools/call', QUERY)
  expect(result.isError).toBe(true)
  expect(result.content[0].text).toMatch(/is not a known host\. .* SHA256:/)
  command.end()
  await command.over
})

test.skipIf(!sshd)('an invalid value of --ssh is an immediate error', async () => {
  const command = through('jump at the bastion')
  command.end()
  expect((await command.over)[0]).not.toBe(0)
  expect(command.logs()).toContain('Write the SSH server as user@bastion')
})
