import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MOST_KEPT } from '../src/database/transport/pool.ts'
import { serviceAccount } from './servers/google-token.ts'
import { rdsTokenFault } from './servers/rds-token.ts'
import { startTcp, type TcpServer } from './servers/tcp.ts'
import { mysqlByToken, postgresByToken } from './servers/token-login.ts'
import { makeCertificate } from './support/certificate.ts'
import { startMariaDb } from './support/mariadb.ts'
import { onNode } from './support/node-worker.ts'
import { startPostgres } from './support/postgres.ts'
import type { RunningWorker } from './support/worker.ts'

// The runtime reads this when it loads, and trusts it like a public certificate authority.
const trusted = makeCertificate()
if (trusted) process.env.NODE_EXTRA_CA_CERTS = trusted.path
const { callTool, startWorker } = await import('./support/worker.ts')

const key = { authorization: 'Bearer k' }
const AWS_SECRET = 'pl4ntedSecret/of+Amazon=0123456789'
const SESSION = 'pl4ntedSession/of+Amazon=0123456789'
const account = serviceAccount()

const setup = 'create table users (id int); insert into users values (1), (2);'
const postgres = trusted && (await startPostgres(setup))
const mariadb = trusted && (await startMariaDb(setup))

describe.skipIf(!postgres || !mariadb)('a Worker that logs in with IAM', () => {
  let worker: RunningWorker
  const servers: TcpServer[] = []
  const shown: string[] = []

  beforeAll(async () => {
    const { reader, config } = postgres!
    const start = async (serve: typeof postgresByToken, port: number) => {
      const server: TcpServer = await startTcp((socket: Socket) =>
        serve(socket, trusted!, port, (user, token) => {
          shown.push(token)
          const keys = { ASIAX: { secret: AWS_SECRET, session: SESSION } }
          const rds = { host: `localhost:${server.port}`, region: 'eu-west-1', keys }
          return rdsTokenFault(token, user, rds) === undefined
        }),
      )
      servers.push(server)
      return server.port
    }
    const ofPostgres = await start(postgresByToken, config.port!)
    const ofMysql = await start(mysqlByToken, mariadb!.port)
    const pg = `postgres://${reader}@localhost:${ofPostgres}/${config.database}`
    const my = `mysql://${mariadb!.reader}@localhost:${ofMysql}/${mariadb!.database}`
    const urls: Record<string, string> = {
      POSTGRES: `${pg}?auth=rds-iam&region=eu-west-1`,
      MYSQL: `${my}?auth=rds-iam&region=eu-west-1`,
      REGION: `${pg}?auth=rds-iam&region=eu-west-2`,
      OTHER: `${my}?auth=rds-iam&region=eu-west-1&credentials=OTHER`,
      GOOGLE: `${pg}?auth=cloudsql-iam`,
      NONE: `${pg}?auth=alloydb-iam&credentials=OTHER`,
      PLAIN: `${pg}?auth=rds-iam&region=eu-west-1&sslmode=disable`,
    }
    const databases = Object.fromEntries(
      Object.keys(urls).map((it) => [it.toLowerCase(), { url: `secret:${it}` }]),
    )
    worker = await startWorker({
      ...urls,
      ENDPOINTS: JSON.stringify([{ name: 'all', title: 'All', databases }]),
      TIDEGATE_KEY: 'k',
      AWS_ACCESS_KEY_ID: 'ASIAX',
      AWS_SECRET_ACCESS_KEY: AWS_SECRET,
      AWS_SESSION_TOKEN: SESSION,
      GOOGLE_SERVICE_ACCOUNT_KEY: account.file,
      // A host that no test uses, because no test calls Google.
      GOOGLE_IAM_HOSTS: 'db.example.com',
      OTHER_GOOGLE_SERVICE_ACCOUNT_KEY: account.file.slice(1),
    })
  })
  afterAll(async () => {
    await worker?.close()
    await Promise.all(servers.map((it) => it.close()))
    await Promise.all([postgres?.drop(), mariadb?.drop()])
  })

  const answers: string[] = []
  const ask = async (database: string): Promise<string> => {
    const args = { database, sql: 'select count(*) as users from users' }
    const { content } = await callTool(`${worker.url}/mcp`, 'query', args, key)
    answers.push(JSON.stringify(content))
    return content[0].text
  }

  test.each([
    ['postgres', /2/],
    ['mysql', /2/],
    ['region', /^The database refused the RDS IAM token/],
    ['other', /^This deployment has no secret OTHER_AWS_ACCESS_KEY_ID/],
    ['google', /^This deployment does not allow a Google token for the host of this database/],
    ['none', /^This deployment does not allow a Google token for the host of this database/],
    ['plain', /With auth=rds-iam the connection must be encrypted/],
  ])('answers, or explains why not: %s', async (name, sentence) => {
    expect(await ask(name)).toMatch(sentence)
    // On Node, the pool keeps some connections for later calls.
    const left = onNode ? MOST_KEPT : 0
    for (const server of servers) await expect.poll(() => server.open).toBeLessThanOrEqual(left)
  })

  test('never shows a cloud’s secrets or tokens', async () => {
    for (const path of ['/doctor', '/doctor/all', '/api/endpoints', '/api/status']) {
      const response = await fetch(`${worker.url}${path}`, { headers: key })
      answers.push(await response.text())
    }
    expect(answers.join('\n')).toContain('rds-db:connect')
    // A token contains the session of its key, but never the secret.
    expect(shown.length).toBeGreaterThan(2)
    expect(shown.some((it) => it.includes(AWS_SECRET))).toBe(false)
    const { private_key } = JSON.parse(account.file)
    const everything = [...answers, ...worker.logs()].join('\n')
    for (const secret of [AWS_SECRET, SESSION, private_key.split('\n')[5], ...shown]) {
      expect(everything.includes(secret)).toBe(false)
      expect(everything.includes(encodeURIComponent(secret))).toBe(false)
    }
  })
})
