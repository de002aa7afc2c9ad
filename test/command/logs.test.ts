import { afterEach, expect, test } from 'vitest'
import { callAs } from '../support/calls.ts'
import { type Spawned, spawned } from '../support/spawned.ts'

const KEY = 'a-key-of-the-operator-that-is-long'
const PASSWORD = 'planted-password'
const TRACE = '0af7651916cd43dd8448eb211c80319c'

let command: Spawned | undefined
afterEach(async () => {
  command?.child.kill('SIGTERM')
  await command?.over
})

/** Serves a database that does not exist. */
async function served(): Promise<string> {
  const DATABASE_URL = `postgres://reader:${PASSWORD}@127.0.0.1:9/shop`
  const args = ['serve', '--port', '0', '--verbose']
  command = spawned(args, { DATABASE_URL, TIDEGATE_KEY: KEY })
  await expect.poll(command.logs, { timeout: 120_000 }).toContain('Serves http')
  return /Serves (http:\/\/\S+)\/mcp/.exec(command.logs())![1]!
}

const call = (url: string, sql: string, traceparent?: string) =>
  callAs('modern', `${url}/mcp`, {
    ...{ name: 'query', args: { sql } },
    headers: { authorization: `Bearer ${KEY}`, ...(traceparent && { traceparent }) },
  })

test('a log line has a time, a level, the endpoint and the trace', async () => {
  const url = await served()
  await call(url, 'select 1', `00-${TRACE}-b7ad6b7169203331-01`)
  await expect.poll(command!.logs).toMatch(/^time=.*failed \(network/m)
  const line = command!
    .logs()
    .split('\n')
    .find((it) => it.includes('failed (network'))
  expect(line).toMatch(
    new RegExp(
      `^time=\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z level=error endpoint=\\w+ trace=${TRACE} message="The database (\\w+)/\\w+ failed \\(network[^)]*\\)\\. The doctor says more: /doctor/\\w+\\."$`,
    ),
  )
  expect(command!.logs()).toMatch(/^time=\S+ level=info .*message="POST \/mcp 200"$/m)
})

test('a database error is logged once for each kind and endpoint, without the SQL of callers', async () => {
  const url = await served()
  for (let i = 0; i < 4; i++) await call(url, `select 'planted-value' as n${i}`)
  const lines = () =>
    command!
      .logs()
      .split('\n')
      .filter((it) => it.includes('failed (network'))
  await expect.poll(lines).toHaveLength(1)
  expect(command!.logs()).not.toMatch(/planted|select/)
})
