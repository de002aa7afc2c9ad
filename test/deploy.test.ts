import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv, promisify } from 'node:util'
import { parse, stringify } from '@decimalturn/toml-patch'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
// @ts-expect-error: plain JavaScript
import { bringUpToDate } from '../scripts/up-to-date.mjs'
import { upgraded } from '../src/command/deploy/upgrade.ts'
import { tidegate } from './support/command-line.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const SHOP_URL = 'postgres://ada:marker@db.example/shop'

const home = mkdtempSync(join(tmpdir(), 'tidegate-deploy-'))
afterAll(() => rmSync(home, { recursive: true }))

const MINE = 'a key of mine, which nobody guesses 42'

const run = (args: readonly string[], vars: Record<string, string> = {}) =>
  tidegate(['deploy', ...args], {
    vars: { HOME: home, PATH: process.env.PATH ?? '', ...vars },
    folder: home,
  })

describe('tidegate deploy', () => {
  const folder = join(home, 'shop')
  const asked = join(home, 'asked')
  /** The calls of wrangler so far: arguments and stdin. */
  const told = () =>
    readFileSync(asked, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { args: string[]; stdin: string })

  /** Makes a project with a fake wrangler that has these secrets, or fails with this message. */
  function project(says: { readonly secrets?: string[]; readonly fails?: string } = {}): void {
    rmSync(folder, { recursive: true, force: true })
    rmSync(asked, { force: true })
    const put = (path: string, value: unknown) => {
      mkdirSync(join(folder, path, '..'), { recursive: true })
      writeFileSync(
        join(folder, path),
        typeof value === 'string' ? value : `${JSON.stringify(value)}\n`,
      )
    }
    put('package.json', { name: 'shop', dependencies: { tidegate: `^${version}` } })
    put('node_modules/tidegate/package.json', { name: 'tidegate', version })
    put('node_modules/wrangler/package.json', { name: 'wrangler', bin: { wrangler: './bin.mjs' } })
    put(
      'node_modules/wrangler/bin.mjs',
      `import { appendFileSync, readFileSync } from 'node:fs'
      const args = process.argv.slice(2)
      const stdin = args[1] === 'bulk' ? readFileSync(0, 'utf8') : ''
      appendFileSync(${JSON.stringify(asked)}, JSON.stringify({ args, stdin }) + '\\n')
      const fails = ${JSON.stringify(says.fails ?? '')}
      if (fails) { console.error(fails); process.exit(1) }
      if (args[0] === 'deploy') console.log('Deployed\\n  https://shop.ada.workers.dev')
      if (args[1] === 'list') console.log(JSON.stringify(${JSON.stringify(says.secrets ?? [])}.map((name) => ({ name }))))`,
    )
  }
  beforeEach(() => project())

  test('uploads, makes keys, shows them once, and sends the secrets on stdin', async () => {
    const ran = await run(['shop', '--url-env', 'SHOP_URL', '--unchecked'], { SHOP_URL })
    expect(ran).toMatchObject({ code: 0 })
    const calls = told()
    expect(calls.map(({ args }) => args)).toEqual([
      ['deploy'],
      ['secret', 'list', '--format', 'json'],
      ['secret', 'bulk'],
    ])
    const secrets = JSON.parse(calls[2]!.stdin)
    expect(secrets).toEqual({
      DATABASE_URL: SHOP_URL,
      TIDEGATE_KEY: expect.stringMatching(/^tg_[\w-]{43}$/),
      TIDEGATE_SECRET: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(ran.stdout).toContain('https://shop.ada.workers.dev/mcp')
    expect(ran.stdout).toContain(secrets.TIDEGATE_KEY)
    expect(ran.stderr).toContain('npx tidegate doctor https://shop.ada.workers.dev/mcp')
    expect(ran.stdout + ran.stderr).not.toContain('marker')
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).not.toContain('marker')
    expect(readFileSync(join(folder, 'wrangler.toml'), 'utf8')).not.toContain('marker')
  })

  test('updates, and keeps the existing secrets', async () => {
    project({ secrets: ['DATABASE_URL', 'TIDEGATE_KEY', 'TIDEGATE_SECRET'] })
    await run(['shop', '--demo'])
    const own = `# mine\n${readFileSync(join(folder, 'wrangler.toml'), 'utf8')}\n[vars]\nMINE = "1"\n`
    project({ secrets: ['DATABASE_URL', 'TIDEGATE_KEY', 'TIDEGATE_SECRET'] })
    writeFileSync(join(folder, 'wrangler.toml'), own)
    const ran = await run(['shop', '--demo', '--json'])
    expect(ran).toMatchObject({ code: 0 })
    expect(JSON.parse(ran.stdout)).toMatchObject({ made: {}, dryRun: false })
    expect(told().some(({ args }) => args[1] === 'bulk')).toBe(false)
    expect(readFileSync(join(folder, 'wrangler.toml'), 'utf8')).toBe(own)
    await run(['shop', '--demo'], { TIDEGATE_KEY: MINE })
    expect(JSON.parse(told().at(-1)!.stdin)).toEqual({ TIDEGATE_KEY: MINE })
    const weak = await run(['shop', '--demo'], { TIDEGATE_KEY: 'mine-of-a-key' })
    expect([weak.code, weak.stderr]).toEqual([2, expect.stringContaining('can be guessed')])
  })

  test('uploads nothing with --dry-run', async () => {
    const ran = await run(['shop', '--demo', '--dry-run', '--name', 'other'])
    expect(ran).toMatchObject({ code: 0 })
    expect(told().map(({ args }) => args)).toEqual([['deploy', '--name', 'other', '--dry-run']])
    expect(ran.stdout).toContain('Nothing was uploaded.')
    expect(ran.stdout).not.toContain('tg_')
  })

  test('checks the database first', async () => {
    const url = 'postgres://ada:marker@127.0.0.1:9/shop'
    const ran = await run(['shop', '--url-env', 'SHOP_URL'], { SHOP_URL: url })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('Nothing was deployed. If only Cloudflare can reach')
    expect(ran.stderr).toContain('cannot be reached')
    expect(ran.stderr).not.toContain('marker')
    expect(() => told()).toThrow()
  })

  test.each([
    [
      'In a non-interactive environment, it is necessary to set a CLOUDFLARE_API_TOKEN',
      'npx wrangler login',
    ],
    ['More than one account available but unable to select one', 'CLOUDFLARE_ACCOUNT_ID'],
    ['Authentication error [code: 10000]', 'Workers Scripts: Edit'],
    ['You need to register a workers.dev subdomain', 'workers.dev subdomain'],
    ['TypeError: fetch failed', 'Cloudflare cannot be reached'],
    ['Something else', 'See its output above.'],
  ])('explains an error from wrangler: %s', async (fails, fix) => {
    project({ fails })
    const ran = await run(['shop', '--demo'])
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('wrangler deploy failed (1).')
    expect(ran.stderr).toContain(fix)
    expect(ran.stderr).toContain(fails)
  })

  test('reports missing options, and refuses a folder that is not its own', async () => {
    mkdirSync(join(home, 'other'), { recursive: true })
    writeFileSync(join(home, 'other/package.json'), '{}')
    mkdirSync(join(home, 'full'), { recursive: true })
    writeFileSync(join(home, 'full/file'), '')
    for (const [args, sentence] of [
      [['shop'], 'Name the database with --url-env NAME, or use --demo.'],
      [['shop', '--demo', '--url-env', 'A'], 'Name a database, or use --demo.'],
      [['shop', '--demo', '--name', 'A b'], 'A Worker name can have only lowercase letters'],
      [['other', '--demo'], 'other has a package.json without tidegate.'],
      [['full', '--demo'], 'full is not empty'],
    ] as const) {
      const ran = await run(args)
      expect(ran, args.join(' ')).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toContain(sentence)
    }
  })
})

describe('the wrangler.toml of a project', () => {
  const whole = readFileSync('wrangler.toml', 'utf8')
  const without = (name: string) =>
    whole
      .replace(
        new RegExp(
          `\\[\\[durable_objects.bindings\\]\\]\\nname = "\\w+"\\nclass_name = "${name}"\\n`,
        ),
        '',
      )
      .replace(new RegExp(`\\[exports.${name}\\]\\n(?:.+\\n)+`), '')
  const classes = Object.keys(parse(whole).exports as object)

  test('gets each class that the Worker exports, and keeps a person’s edits', () => {
    expect(classes.length).toBeGreaterThan(5)
    for (const name of classes) {
      const mine = `# mine\n${without(name)}\n[vars]\nMINE = "1" # stays\n`
      const { text, added } = upgraded(mine, whole)
      expect(added).toEqual([expect.stringContaining('bindings '), `class ${name}`])
      expect(text.startsWith(mine)).toBe(true)
      expect(parse(text).exports).toHaveProperty(name)
      // A complete file does not change.
      expect(upgraded(text, whole)).toEqual({ text, added: [] })
    }
  })

  test('gets the missing parts of every class from an older version in one step', () => {
    const old = 'name = "shop"\ncompatibility_date = "2025-01-01" # old\n'
    const { text } = upgraded(old, whole)
    const [is, needs] = [parse(text), parse(whole)]
    for (const part of ['durable_objects', 'exports', 'ratelimits', 'compatibility_flags', 'main'])
      expect(is[part], part).toEqual(needs[part])
    expect([is.name, is.compatibility_date]).toEqual(['shop', needs.compatibility_date])
    expect(text).toContain('# old')
  })

  test('gets a new migration after its own migrations', () => {
    const { exports: _, ...rest } = parse(whole) as Record<string, unknown>
    const own = { tag: 'v1', new_sqlite_classes: classes.slice(0, 2) }
    const { text } = upgraded(stringify({ ...rest, migrations: [own] }), whole)
    const { migrations, exports } = parse(text) as Record<
      string,
      { new_sqlite_classes: string[] }[]
    >
    expect(exports).toBeUndefined()
    expect(migrations![0]).toEqual(own)
    expect(migrations![1]!.new_sqlite_classes).toEqual(classes.slice(2))
    expect(upgraded(text, whole).added).toEqual([])
  })

  test('keeps a newer compatibility date and other flags', () => {
    const newer = whole
      .replace(/^compatibility_date = .*/m, 'compatibility_date = "2999-01-01"')
      .replace('compatibility_flags = [', 'compatibility_flags = [\n  "mine",')
    expect(upgraded(newer, whole)).toEqual({ text: newer, added: [] })
  })

  test.each([
    ['a binding of another class', whole.replace('class_name = "Registry"', 'class_name = "Mine"')],
    ['invalid TOML', 'name = '],
    [
      'an inline list of bindings',
      'name = "shop"\n[durable_objects]\nbindings = [{ name = "DEMO", class_name = "DemoStore" }]\n',
    ],
  ])('with %s is refused, and the message lists what to add', (_, text) => {
    expect(() => upgraded(text, whole)).toThrow(/Nothing was deployed/)
  })
})

test('the deploy button asks for the deployment’s secrets, and reveals no key', () => {
  const { bindings } = JSON.parse(readFileSync('package.json', 'utf8')).cloudflare
  const example = parseEnv(readFileSync('.dev.vars.example', 'utf8'))
  expect(Object.keys(example).sort()).toEqual(Object.keys(bindings).sort())
  expect(example).toMatchObject({ TIDEGATE_KEY: '', TIDEGATE_SECRET: '' })
})

test('a clone of the repository can be deployed unchanged', async () => {
  const ran = await run(['--demo', '--dry-run', '--json'])
  expect(ran).toMatchObject({ code: 0 })
  expect(JSON.parse(ran.stdout)).toEqual({ folder: process.cwd(), dryRun: true })
})

// It installs wrangler, which takes a while.
test('the package can be deployed from an empty folder', async () => {
  const pack = ['pack', '--ignore-scripts', '--pack-destination', home]
  bringUpToDate()
  const npm = promisify(execFile)
  await npm('npm', pack, { cwd: process.cwd() })
  const packed = join(home, `tidegate-${version}.tgz`)
  // npm uses the registry and the cache of this machine, without the rules of this repository.
  const { npm_config_strict_allow_scripts: _, ...here } = process.env as Record<string, string>
  const vars = { ...here, HOME: home, npm_config_prefer_offline: 'true' }
  const ran = await run(
    ['new', '--package', packed, '--demo', '--dry-run', '--name', 'new-shop'],
    vars,
  )
  expect(ran.stderr).toMatch(/Building …/)
  expect(ran).toMatchObject({ code: 0 })
  const toml = readFileSync(join(home, 'new/wrangler.toml'), 'utf8')
  expect(toml).toContain('name = "new-shop"\nmain = "node_modules/tidegate/lib/worker/index.js"\n')
  expect(toml).not.toMatch(/\[build\]|scripts/)
}, 600_000)
