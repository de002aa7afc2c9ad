import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { lexer, type Tokens } from 'marked'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Ran, tidegate } from './support/command-line.ts'
import { freePort } from './support/port.ts'
import { describePostgres } from './support/postgres.ts'
import { post, type RunningWorker, startWorker } from './support/worker.ts'

const PASSWORD = 'marker-of-a-password'
const TIDEGATE_KEY = 'key-of-the-operator'
const TIDEGATE_SECRET = 'marker of a secret, long enough to seal with'

const folder = mkdtempSync(join(tmpdir(), 'cli-'))
afterAll(() => rmSync(folder, { recursive: true }))

function fileOf(name: string, value: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value), { mode: 0o600 })
  return path
}

/** Everything that was printed, to be searched for secrets. */
const printed: string[] = []

/** Runs a command, and remembers what it printed. */
async function run(
  args: readonly string[],
  vars: Record<string, string>,
  stdin = '',
): Promise<Ran> {
  const ran = await tidegate(args, { vars, stdin })
  printed.push(ran.stdout, ran.stderr)
  return ran
}

const page = readFileSync('docs/command-line.md', 'utf8')

/** The code blocks in this language on the page about the command line. */
const blocks = (lang: string): string[] =>
  lexer(page)
    .filter((it): it is Tokens.Code => it.type === 'code' && (it.lang ?? '') === lang)
    .map(({ text }) => text)

/** Runs a shell command. */
const shell = (line: string, cwd: string, env: Record<string, string>): Promise<Ran> =>
  new Promise((done) => {
    execFile('sh', ['-c', line], { cwd, env }, (error, stdout, stderr) =>
      done({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })

/** A server that answers with these bodies by method and path, and records its requests. */
async function fakeServer(bodies: Record<string, string | object | (() => object)>) {
  const asked: { readonly what: string; readonly key: string | undefined }[] = []
  const server = createServer((request, response) => {
    const what = `${request.method} ${request.url}`
    asked.push({ what, key: request.headers.authorization })
    const body = bodies[what]
    if (!body) response.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end()
    else if (typeof body === 'string') response.end(body)
    else response.end(JSON.stringify(typeof body === 'function' ? body() : body))
  })
  const port = await freePort()
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  return { url: `http://127.0.0.1:${port}`, asked, close: () => server.close() }
}

describe('the command line', () => {
  const vars = { TIDEGATE_KEY }

  test('lists its commands, and the options of each', async () => {
    const all = await run(['help'], {})
    expect(all).toMatchObject({ code: 0, stderr: '' })
    expect(all.stdout).toContain('npx tidegate credential set ENDPOINT DATABASE')
    const endpoint = await run(['endpoint'], {})
    expect(endpoint.stdout).toContain('endpoint add')
    expect(endpoint.stdout).not.toContain('key add')
    const commands = [...all.stdout.matchAll(/^ +npx tidegate ([a-z-]+(?: [a-z]+)?)/gm)].map(
      ([, it]) => it!,
    )
    expect(commands).toHaveLength(32)
    for (const command of commands) {
      const help = await run([...command.split(' '), '--help'], {})
      expect(help, command).toMatchObject({ code: 0, stderr: '' })
      // These take their subject as an argument, and call no deployment.
      const asksNone = ['doctor', 'inspect', 'add', 'remove', 'new', 'deploy'].includes(command)
      expect(help.stdout.includes('--to URL'), command).toBe(!asksNone)
    }
    const [table] = lexer(page).filter((it): it is Tokens.Table => it.type === 'table')
    const listed = table!.rows.flatMap(([cell]) => {
      const [first = '', ...more] = [...cell!.text.matchAll(/`([a-z -]+)`/g)].map(([, it]) => it!)
      return [
        first,
        ...more.map((it) => (first.includes(' ') ? first.replace(/ .*/, ` ${it}`) : it)),
      ]
    })
    expect(listed.sort()).toEqual(commands.sort())
    for (const words of [['frobnicate'], ['endpoint', 'frobnicate']]) {
      const unknown = await run(words, {})
      expect(unknown).toMatchObject({ code: 2, stdout: '' })
      expect(unknown.stderr).toMatch(/^There is no such command\.\n/)
    }
    expect((await run(['endpoint', 'list', '--frobnicate'], vars)).stderr).toBe(
      "Unknown option '--frobnicate'. See: npx tidegate endpoint list --help\n",
    )
  })

  test('refuses a connection string as an argument', async () => {
    const url = `postgres://u:${PASSWORD}@127.0.0.1/shop`
    for (const args of [
      ['credential', 'set', 'shop', 'shop', url],
      ['endpoint', 'add', 'shop', url],
      ['endpoint', 'add', 'shop', '--url', url],
      ['endpoint', 'add', 'shop', `--connection=${url}`],
    ]) {
      const ran = await run(args, vars)
      expect(ran, args.join(' ')).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toMatch(/stdin|--help/)
    }
    const nothing = await run(['credential', 'set', 'shop', 'shop'], vars)
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('on stdin') })
  })

  test('sends the key only over https or to this machine, and never to a redirect target', async () => {
    for (const to of [
      'http://example.com',
      'http://10.0.0.1:8787',
      'http://127.0.0.1.example.com',
    ]) {
      const ran = await run(['status', '--to', to], vars)
      expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('only over https') })
    }
    const server = await fakeServer({ 'GET /api/export': '<p>Welcome to another server</p>' })
    const other = await run(['export', '--to', server.url], vars)
    expect(other).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('does not look like Tidegate'),
    })
    server.asked.length = 0
    const moved = await run(['status', '--to', server.url], vars)
    expect(moved).toMatchObject({ code: 1, stderr: expect.stringContaining('has moved') })
    expect(server.asked).toEqual([{ what: 'GET /api/status', key: `Bearer ${TIDEGATE_KEY}` }])
    server.close()
    const gone = await run(['status', '--to', server.url], vars)
    expect(gone.code).toBe(1)
    expect(gone.stderr).toMatch(
      /^Nothing responds at http:\/\/127\.0\.0\.1:\d+\. Start it with `npm start`/,
    )
    const broken = { TIDEGATE_KEY: `${TIDEGATE_KEY}\u20ac` }
    expect((await run(['status', '--to', server.url], broken)).code).toBe(2)
  })

  test('reads the key from .dev.vars in its own folder, only for this machine', async () => {
    const clone = join(folder, 'clone')
    mkdirSync(clone)
    for (const part of ['bin', 'lib', 'scripts', 'package.json'])
      cpSync(part, join(clone, part), { recursive: true })
    writeFileSync(join(clone, '.dev.vars'), `TIDEGATE_KEY='${TIDEGATE_KEY}'\n`, { mode: 0o600 })
    const server = await fakeServer({ 'GET /api/status': { endpoints: 3 } })
    const around = { program: join(clone, 'bin/tidegate.mjs'), folder: tmpdir(), vars: {} }
    const here = await tidegate(['status', '--to', server.url], around)
    expect(here).toMatchObject({ code: 0, stderr: '' })
    expect(here.stdout).toMatch(/^endpoints +3$/m)
    expect(server.asked[0]?.key).toBe(`Bearer ${TIDEGATE_KEY}`)
    const there = await tidegate(['status', '--to', 'https://gate.example.com'], around)
    expect(there).toMatchObject({ code: 2, stderr: expect.stringContaining('Set TIDEGATE_KEY') })
    rmSync(join(clone, '.dev.vars'))
    mkdirSync(join(clone, '.dev.vars'))
    const unreadable = await tidegate(['status', '--to', server.url], around)
    expect(unreadable.code).toBe(2)
    expect(unreadable.stderr).toMatch(/^\S+\.dev\.vars cannot be read \(EISDIR\)\.$/m)
    server.close()
  })

  test('prints the call log with the newest call last, and follows new calls', async () => {
    const record = (n: number) => ({
      id: `id${n}`,
      time: `2026-11-22T08:00:0${n}.000Z`,
      endpoint: 'shop',
      caller: 'key:abc',
      client: { name: 'claude\u001b[2J' },
      tool: 'query',
      statements: [{ database: 'shop', sql: 'select\n ?' }],
      rows: n,
      bytes: 10,
      milliseconds: 5,
      outcome: 'ok',
    })
    const server = await fakeServer({
      'GET /api/records?limit=100&endpoint=shop': {
        records: [record(4), { ...record(2), outcome: 'refused', code: 'sql', calls: 3 }],
        next: 'id2',
        lost: 4,
      },
      'GET /api/records?limit=100&endpoint=shop&cursor=id2': { records: [record(1)], lost: 4 },
      // The third record was written late.
      'GET /api/records?limit=100&endpoint=shop&since=2026-11-22T07%3A59%3A04.000Z': {
        records: [5, 4, 3, 2, 1].map(record),
        lost: 4,
      },
    })
    const args = ['records', '--endpoint', 'shop', '--to', server.url]
    const lines = (await run([...args, '--jsonl'], vars)).stdout.trim().split('\n')
    expect(lines.map((it) => JSON.parse(it).id)).toEqual(['id1', 'id2', 'id4'])
    const two = await run([...args, '--last', '2'], vars)
    expect(two.stdout.split('\n')[1]).toBe(
      '2026-11-22 08:00:04  shop  key:abc  claude·[2J  query  4 rows  5 ms  select ?',
    )
    expect(two.stdout).toContain('query  refused sql  3 times  5 ms')
    expect(two.stdout).not.toContain('08:00:01')
    expect(two.stderr).toBe('4 calls have no record: their records could not be written.\n')
    const follow = { vars, until: '08:00:05' }
    const followed = await tidegate([...args, '--last', '1', '--follow'], follow)
    expect(followed.stdout.match(/08:00:0\d/g)).toEqual(['08:00:04', '08:00:03', '08:00:05'])
    server.close()
  })
})

await describePostgres(
  'a deployment',
  `create table orders (id int); insert into orders values (1), (2)`,
  (postgres) => {
    let worker: RunningWorker
    let other: RunningWorker
    let third: RunningWorker
    const vars = () => ({ TIDEGATE_KEY, TIDEGATE_URL: worker.url })
    const cli = (command: string, stdin = '') => run(command.split(' '), vars(), stdin)
    const connection = () => {
      const url = new URL(postgres.tcp(postgres.reader))
      url.password = PASSWORD
      return url.href
    }

    /** The response of an endpoint to a query with this key. */
    async function ask(endpoint: string, key: string) {
      const params = { name: 'query', arguments: { sql: 'select count(*) as n from orders' } }
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const headers = { authorization: `Bearer ${key}` }
      return (await post(`${worker.url}/mcp/${endpoint}`, body, headers)).json()
    }

    beforeAll(async () => {
      const secrets = { TIDEGATE_KEY, TIDEGATE_SECRET, PRIVATE_HOSTS: '*' }
      worker = await startWorker(secrets)
      other = await startWorker(secrets)
      third = await startWorker(secrets)
    })
    afterAll(async () => {
      await worker.close()
      await other.close()
      await third.close()
    })

    test('adds an endpoint with a connection string from stdin, and a key for it', async () => {
      const added = await cli(
        'endpoint add shop --title Shop --purpose orders',
        `${connection()}\n`,
      )
      expect(added).toMatchObject({ code: 0, stdout: 'Added shop.\n' })
      expect(added.stderr).toContain(`${worker.url}/mcp/shop\n`)
      expect(added.stderr).toContain('npx tidegate key add --label NAME --endpoint shop')

      const list = await cli('endpoint list')
      expect(list.stdout).toMatch(/^name +title +databases +access +active +from\n/)
      expect(list.stdout).toMatch(
        /^shop +Shop +shop \(postgres:\/\/127\.0\.0\.1\) +key +yes +registry$/m,
      )
      const shown = JSON.parse((await cli('endpoint show shop --json')).stdout)
      expect(shown).toMatchObject({ name: 'shop', databases: { shop: { purpose: 'orders' } } })

      const tested = await cli('endpoint test shop')
      expect(tested).toMatchObject({ code: 0 })
      expect(tested.stdout).toMatch(/^shop +yes +\d+ +postgres/m)

      const made = await cli('key add --label ci --endpoint shop --expires 90d --claim tenant=7')
      expect(made.stdout).toMatch(/^tg_\w+\n$/)
      const key = made.stdout.trim()
      expect(made.stderr).toContain(`${worker.url}/k/KEY/mcp/shop`)
      expect(made.stderr).not.toContain(key)
      expect((await cli('key list')).stdout).toMatch(
        /^\w{12} +ci +shop +\d{4}-\d\d-\d\d \d\d:\d\d +not yet$/m,
      )
      expect((await ask('shop', key)).result.structuredContent.rows).toEqual([[2]])

      expect((await cli('endpoint off shop')).code).toBe(0)
      expect((await ask('shop', key)).error.code).toBe(4030)
      expect((await cli('endpoint on shop')).code).toBe(0)
      expect((await ask('shop', key)).result.structuredContent.rows).toEqual([[2]])

      const id = key.split('_')[1]
      expect((await cli(`key remove ${id}`)).code).toBe(3)
      expect((await ask('shop', key)).result).toBeDefined()
      expect(await cli(`key remove ${id} --yes`)).toMatchObject({ code: 0 })
      expect((await ask('shop', key)).error.message).toContain('key is wrong')
    })

    test('replaces a connection string with one from a variable', async () => {
      const wrong = { ...vars(), WRONG_URL: `postgres://nobody:${PASSWORD}@127.0.0.1:1/nothing` }
      const set = ['credential', 'set', 'shop', 'shop', '--url-env', 'WRONG_URL']
      expect(await run(set, wrong)).toMatchObject({ code: 0 })
      const tested = await cli('endpoint test shop')
      expect(tested.code).toBe(1)
      expect(tested.stdout).toMatch(/^shop +no .*cannot be reached/m)
      expect(tested.stdout).toContain('Nothing answers for PostgreSQL at 127.0.0.1, port 1.')
      expect(tested.stdout).toContain('\n  nc -vz 127.0.0.1 1\n')
      const right = { ...vars(), RIGHT_URL: connection() }
      expect(await run([...set.slice(0, -1), 'RIGHT_URL'], right)).toMatchObject({ code: 0 })
      expect((await cli('endpoint test shop')).code).toBe(0)
    })

    test('accepts any form of connection string, and reports what it changed', async () => {
      const lines = `# .env\nREDIS_URL=redis://127.0.0.1\nDATABASE_URL="${connection()}?pgbouncer=true"\n`
      const added = await cli('endpoint add pasted', lines)
      expect(added, added.stderr).toMatchObject({ code: 0 })
      expect(added.stderr).toContain('Used the value of DATABASE_URL.\n')
      expect((await cli('endpoint test pasted')).code).toBe(0)
      expect((await cli('endpoint remove pasted --yes')).code).toBe(0)
      const refused = await cli('endpoint add pasted', 'postgres://reader:[YOUR-PASSWORD]@db/shop')
      expect(refused).toMatchObject({ code: 1, stdout: '' })
      expect(refused.stderr).toContain('The password is still a placeholder.')
    })

    test('applies a file only with --yes', async () => {
      const shop = {
        name: 'shop',
        title: 'The shop',
        databases: { shop: {}, more: { url: 'env:MORE_URL' } },
        caps: { rows: 10 },
      }
      const path = fileOf('endpoints.json', [
        shop,
        { name: 'toys', title: 'Toys', databases: { toys: { url: 'demo:' } } },
      ])
      const apply = (...more: string[]) =>
        run(['apply', '-f', path, ...more], { ...vars(), MORE_URL: connection() })
      expect((await run(['apply', '-f', path], vars())).stderr).toContain('MORE_URL')

      const before = (await cli('endpoint list --json')).stdout
      const plan = await apply()
      expect(plan.code).toBe(3)
      for (const line of [
        '~ endpoint shop',
        '    title: "Shop" → "The shop"',
        '    caps.rows: 200 → 10',
        '    databases.shop.purpose: "orders" → (none)',
        `    databases.more.url: (none) → "postgres://${new URL(connection()).host}"`,
        '+ endpoint toys',
        '1 to add, 1 to change, 0 to remove.',
        'Nothing was changed. To make these changes, add --yes.',
      ]) {
        expect(plan.stdout).toContain(`${line}\n`)
      }
      expect((await cli('endpoint list --json')).stdout).toBe(before)

      expect(await apply('--yes')).toMatchObject({ code: 0, stderr: '' })
      expect((await cli('endpoint test shop')).code).toBe(0)
      // Fields that are not in the file have their defaults, so the same file changes nothing else.
      const rest = fileOf('rest.json', [{ ...shop, databases: { shop: {}, more: {} } }])
      const kept = await run(['apply', '-f', rest], vars())
      expect(kept.code).toBe(0)
      expect(kept.stdout).toContain('endpoint toys is not in the file, and stays without --prune.')
      const pruned = await run(['apply', '-f', rest, '--prune', '--json'], vars())
      expect(pruned.code).toBe(3)
      expect(JSON.parse(pruned.stdout)).toEqual({
        changes: [{ action: 'remove', kind: 'endpoint', name: 'toys', fields: [] }],
        made: 0,
      })
      expect(await run(['apply', '-f', rest, '--prune', '--yes'], vars())).toMatchObject({
        code: 0,
      })
      expect((await cli('endpoint show toys')).stderr).toBe('The endpoint toys does not exist.\n')
    })

    test('stops at the first refused change, and reports it', async () => {
      const path = fileOf('wrong.json', [
        { name: 'a', title: 'A', databases: { a: { url: 'demo:' } }, access: 'everybody' },
        { name: 'b', title: 'B', databases: { b: { url: 'demo:' } } },
      ])
      const applied = await run(['apply', '-f', path, '--yes'], vars())
      expect(applied.code).toBe(1)
      expect(applied.stderr).toContain('The endpoint a: access')
      expect(applied.stderr).toContain('0 of 2 changes were made.')
      expect((await cli('endpoint show b')).code).toBe(1)
    })

    test('does not show a connection string that is in the wrong field of a file', async () => {
      const path = fileOf('misplaced.json', [
        { name: 'shop', title: connection(), databases: { shop: connection() } },
      ])
      const plan = await run(['apply', '-f', path], vars())
      expect(plan.stdout).toContain('databases.shop: (none) → "postgres://…@')
      const broken = fileOf('broken.json', `[{"name": "shop",\n "url": "${connection()}",}]`)
      expect(await run(['apply', '-f', broken], vars())).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/broken\.json is not JSON: see line 2, column \d+\.\n$/),
      })
    })

    test('applies the groups in a file', async () => {
      const key = JSON.parse((await cli('key add --label sales --endpoint shop --json')).stdout)
      printed.pop() // the key that is shown once
      printed.pop()
      const rules = { databases: { shop: { tables: { orders: ['id'] } } } }
      const path = fileOf('groups.json', [
        { name: 'sales', keys: [key.id], endpoints: { shop: rules } },
      ])
      const apply = (...more: string[]) => run(['group', 'apply', '-f', path, ...more], vars())
      expect((await apply()).stdout).toContain(
        'endpoints.shop.databases.shop.tables.orders: ["id"]',
      )
      expect((await cli('group list --json')).stdout).toBe('[]\n')
      expect(await apply('--yes')).toMatchObject({ code: 0, stderr: '' })
      expect((await apply()).stdout).toBe('Everything already matches the file.\n')
      expect((await cli('group list')).stdout).toMatch(new RegExp(`^sales +${key.id} +shop$`, 'm'))
      expect((await cli('group remove sales')).stderr).toContain(`no longer restricts ${key.id}`)
    })

    test('restores an export on another deployment', async () => {
      const exported = await cli('export')
      const path = fileOf('export.json', exported.stdout)
      const there = { TIDEGATE_KEY, TIDEGATE_URL: other.url }
      const restore = (...more: string[]) => run(['restore', '-f', path, ...more], there)
      const plan = await restore()
      expect(plan.code).toBe(3)
      expect(plan.stdout).toContain('+ endpoint shop\n')
      expect(plan.stdout).toContain('+ group sales\n')
      expect((await run(['endpoint', 'list', '--json'], there)).stdout).not.toContain('"shop"')

      expect(await restore('--yes')).toMatchObject({ code: 0, stderr: '' })
      expect((await run(['endpoint', 'test', 'shop'], there)).code).toBe(0)
      expect(await restore()).toMatchObject({
        code: 0,
        stdout: 'Everything already matches the file.\n',
      })
      await run(['group', 'remove', 'sales', '--yes'], there)
      await run(['endpoint', 'off', 'shop'], there)
      const again = await restore('--replace')
      expect(again.stdout).toContain('~ endpoint shop\n    active: false → true\n')
      expect(again.stdout).toContain('+ group sales\n')
    })

    test('changes settings one by one', async () => {
      const settings = async (...args: string[]) =>
        JSON.parse((await run(['settings', '--json', ...args], vars())).stdout)
      expect(await settings('--allow-host', 'db.internal', '--allow-host', '10.1.0.0/16')).toEqual({
        privateHosts: ['db.internal', '10.1.0.0/16'],
      })
      expect(await settings('--default', 'shop', '--forbid-host', 'db.internal')).toEqual({
        defaultEndpoint: 'shop',
        privateHosts: ['10.1.0.0/16'],
      })
      const shown = await cli('settings')
      expect(shown.stdout).toMatch(/endpoint at \/mcp +shop\s+private hosts +10\.1\.0\.0\/16/)
      expect(await settings('--default', '', '--forbid-host', '10.1.0.0/16')).toEqual({
        privateHosts: [],
      })
      const wrong = await cli('settings --default nosuch')
      expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('defaultEndpoint')])
    })

    test('shows the status, and encrypts the credentials again', async () => {
      const status = await cli('status')
      expect(status).toMatchObject({ code: 0 })
      expect(status.stdout).toMatch(/^endpoints +1$/m)
      expect(await cli('reseal')).toMatchObject({
        code: 0,
        stdout: 'Encrypted 0 credentials again.\n',
      })
    })

    test('shows the API’s error messages', async () => {
      expect(await cli('endpoint show nothing')).toMatchObject({
        code: 1,
        stdout: '',
        stderr: 'The endpoint nothing does not exist.\n',
      })
      const wrongKey = { ...vars(), TIDEGATE_KEY: 'wrong-key-of-nobody' }
      const refused = await run(['endpoint', 'list'], wrongKey)
      expect(refused).toMatchObject({ code: 1, stdout: '' })
      expect(refused.stderr).toMatch(/key/)
      expect(refused.stderr).not.toContain('wrong-key-of-nobody')
    })

    test('runs the commands in docs/command-line.md', async () => {
      const vars = {
        TIDEGATE_KEY,
        TIDEGATE_URL: third.url,
        SHOP_URL: connection(),
        STOCK_URL: connection(),
        HOME: folder,
      }
      const cwd = join(folder, 'page')
      mkdirSync(cwd)
      writeFileSync(join(cwd, 'shop-url.txt'), connection())
      writeFileSync(join(cwd, 'endpoints.json'), blocks('json').join(''))
      writeFileSync(join(cwd, 'shop.sqlite'), '')
      const lines = blocks('sh').flatMap((it) => it.split('\n'))
      expect(lines.length).toBeGreaterThan(9)
      const program = `npx() { shift; '${process.execPath}' '${resolve('bin/tidegate.mjs')}' "$@"; }`
      const said: string[] = []
      for (const line of lines) {
        const ran = await shell(`${program}\n${line}`, cwd, vars)
        said.push(ran.stdout)
        if (!line.startsWith('npx tidegate key add')) printed.push(ran.stdout, ran.stderr)
        expect(ran, line).toMatchObject({
          // Without a terminal to confirm in, the change is only shown.
          code: /^npx tidegate (?:apply|add) /.test(line) && !line.endsWith('--yes') ? 3 : 0,
        })
      }
      const { host } = new URL(connection())
      const [plan = ''] = blocks('')
      expect(said).toContain(`${plan.replace('db.example.com', host)}\n`)
    })

    test('prints no password, secret or key in these tests', () => {
      expect(printed.length).toBeGreaterThan(50)
      const text = printed.join('\n')
      for (const secret of [PASSWORD, TIDEGATE_SECRET, TIDEGATE_KEY])
        expect(text).not.toContain(secret)
    })
  },
)
