import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { lexer, type Token, type Tokens, walkTokens } from 'marked'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { experimental_readRawConfig } from 'wrangler'
import { commands } from '../src/command/commands.ts'
import { gateway, readEndpoints } from '../src/gateway/index.ts'
import { describeMariaDb } from './support/mariadb.ts'
import { describePostgres } from './support/postgres.ts'
import { callTool, post, type RunningWorker, startWorker } from './support/worker.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'AGENTS.md',
  ...globSync('docs/*.md', { cwd: root }),
  // Pages next to the code that they describe.
  'bench/README.md',
  'bench/compared.md',
  'bench/results.md',
  'test/attack/README.md',
  'test/fuzz/README.md',
  'test/sign-in/requirements/README.md',
  'test/sign-in/upstream.md',
]
const text = (page: string) => readFileSync(join(root, page), 'utf8')

function tokens(page: string): Token[] {
  const all: Token[] = []
  void walkTokens(lexer(text(page)), (it) => void all.push(it))
  return all
}

/** A fenced code block. */
interface Block {
  readonly page: string
  readonly lang: string
  readonly code: string
}

const blocks: Block[] = pages.flatMap((page) =>
  tokens(page)
    .filter((it): it is Tokens.Code => it.type === 'code')
    .map(({ lang = '', text: code }) => ({ page, lang, code })),
)
const written = (lang: string) => blocks.filter((it) => it.lang === lang)

/** The address of a heading, as GitHub makes it. */
const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

test('the README has fewer than 900 words', () => {
  expect(text('README.md').split(/\s+/).filter(Boolean).length).toBeLessThan(900)
})

test.each(pages)('%s has no words that make people read a sentence twice', (page) => {
  expect(text(page).match(/.*(?:whoever|whomever|that which|of its own|thereof|whereby).*/gi)).toBe(
    null,
  )
})

test.each(pages)('the links in %s work', (page) => {
  const links = tokens(page).filter((it): it is Tokens.Link => it.type === 'link')
  const broken = links
    .map(({ href }) => href)
    .filter((href) => !/^https?:/.test(href))
    .filter((href) => {
      const [path = '', anchor] = href.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      if (!existsSync(join(root, file))) return true
      const headings = anchor ? tokens(file).filter((it) => it.type === 'heading') : []
      return anchor && !headings.some((it) => slug((it as Tokens.Heading).text) === anchor)
    })
  expect(broken).toEqual([])
})

test('the README links to every page in docs/', () => {
  const linked = tokens('README.md').map((it) => (it.type === 'link' ? it.href : ''))
  expect(pages.filter((page) => page.startsWith('docs/') && !linked.includes(page))).toEqual([])
})

describe('every code block', () => {
  test('names its language, unless it is a drawing, a formula or a program’s output', () => {
    const known = ['', 'json', 'jsonl', 'sh', 'sql', 'toml', 'ts', 'yaml']
    expect(blocks.filter(({ lang }) => !known.includes(lang))).toEqual([])
  })

  test.each(written('json'))('of JSON in $page is valid: $code', ({ code }) => {
    expect(() => JSON.parse(code)).not.toThrow()
  })

  test.each(written('jsonl'))('of JSON Lines in $page is valid', ({ code }) => {
    for (const line of code.split('\n')) expect(() => JSON.parse(line)).not.toThrow()
  })

  test.each(written('toml'))('of TOML in $page is valid', ({ code }) => {
    const folder = mkdtempSync(join(tmpdir(), 'docs-'))
    try {
      const path = join(folder, 'wrangler.toml')
      writeFileSync(path, code)
      const { rawConfig } = experimental_readRawConfig({ config: path })
      expect(Object.keys(rawConfig)).not.toEqual([])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test.each(written('ts'))('of TypeScript in $page is valid', ({ code }) => {
    expect(() => stripTypeScriptTypes(code)).not.toThrow()
  })

  test.each(written('sh'))('of shell commands in $page is valid: $code', async ({ code }) => {
    await run('sh', ['-n', '-c', code])
  })
})

describe('every shell command', () => {
  /** The marks before blocks that no test runs or reads, with the reason. */
  const marks = pages.flatMap((page) => [
    ...text(page).matchAll(/^<!-- not run: ([^\n]+) -->\n```sh\n(.*?)^```$/gms),
  ])
  const unread = marks.map(([, , code = '']) => code.trim())
  /** The commands on all pages, each on one line, without comments. */
  const lines = blocks
    .filter(({ lang, code }) => lang === 'sh' || (lang === '' && /^npx /.test(code)))
    .filter(({ code }) => !unread.includes(code.trim()))
    .flatMap(({ page, lang, code }) => {
      const joined = code
        .replaceAll('\\\n', ' ')
        .replace(/'[^']*'/g, (it) => it.replace(/\s+/g, ' '))
      // In a drawing, two spaces separate a command from its description.
      const remark = lang === 'sh' ? / +# .*/ : / {2}.*/
      return joined.split('\n').map((line) => ({ page, line: line.replace(remark, '').trim() }))
    })
    .filter(({ line }) => line !== '')

  /** The test that runs or reads a command, by the beginning of the command. */
  const readers: readonly (readonly [RegExp, string])[] = [
    [/^npx (?:tidegate|wrangler)\b/, 'below'],
    [/^(?:\w+=\S+ |\w+='[^']*' )*npm (?:start$|run |test )/, 'every npm run names a script'],
    [/^curl /, 'code that can be run; test/tutorial.test.ts; test/doctor.test.ts'],
    [/^(?:api |TIDEGATE=|api\(\))/, 'test/registry/page.test.ts'],
    [
      /^(?:amp|claude|cline|codex|copilot|gemini|qwen) mcp add /,
      'the configurations for hosts; test/command/hosts.test.ts',
    ],
    [/^(?:export )?[A-Z_]+=\S*(?:'[^']*')?$|^[A-Z_]+='[^']*'$/, 'a setting, which sh reads'],
    [/^(?:npm (?:init|pkg|install)|node try\.ts)/, 'test/tutorial.test.ts'],
    [/^(?:cd my-server|npm test)$/, 'test/new.test.ts'],
  ]

  test('is run or checked by a test, unless a mark says why not', () => {
    const orphans = lines.filter(({ line }) => !readers.some(([begins]) => begins.test(line)))
    expect(orphans).toEqual([])
  })

  test('has only these marks', () => {
    expect(marks.map(([, why]) => why)).toEqual([
      'it needs Docker; test/docker.test.ts reads the Dockerfile',
      'it needs Docker; test/docker.test.ts reads compose.yaml',
      'it publishes',
    ])
  })

  /** The arguments of a program in all commands that start it. */
  const startsOf = (program: string) => [
    ...new Set(
      lines.flatMap(({ line }) =>
        [...line.matchAll(new RegExp(`npx (?:-y |-- -y )?${program} ([^|<>]*)`, 'g'))].map(
          ([, words = '']) => words.replace(/ -- .*/, '').trim(),
        ),
      ),
    ),
  ]
  const optionsOf = (words: string) =>
    [...words.replace(/'[^']*'|"[^"]*"/g, '').matchAll(/(?<= |^)(--?[a-z][\w-]*)/g)].map(
      ([it]) => it,
    )

  test.each(startsOf('tidegate'))('is a command of npx tidegate: %s', async (words) => {
    const named = commands
      .map((it) => it.words)
      .filter((it) => words === it || words.startsWith(`${it} `))
      .sort((a, b) => b.length - a.length)
    const [command = /^(?:serve|run)\b/.exec(words)?.[0]] = named
    // Any other first word is a file or a URL, with a dot, a slash or a colon.
    if (!command) expect(words).toMatch(/^(?:-|'?[^ ]*[./:])/)
    const asked = [...(command?.split(' ') ?? []), '--help']
    const { stdout } = await run(process.execPath, [join(root, 'bin/tidegate.mjs'), ...asked])
    for (const option of optionsOf(words)) {
      expect(stdout, option).toMatch(new RegExp(`(?:^|[ ,])${option}\\b`, 'm'))
    }
  })

  test.each(startsOf('wrangler'))('is a command of wrangler: %s', async (words) => {
    const named = words.split(' ').filter((it) => /^[a-z-]+$/.test(it) && !it.startsWith('-'))
    const { stdout } = await run(
      process.execPath,
      [join(root, 'node_modules/wrangler/bin/wrangler.js'), ...named.slice(0, 3), '--help'],
      { env: { ...process.env, WRANGLER_SEND_METRICS: 'false', HOME: tmpdir() } },
    )
    const command = /^wrangler ([a-z -]+)/m.exec(stdout)?.[1]?.trim()
    expect(command).toBeTruthy()
    expect(`${words} `).toContain(`${command} `)
    for (const option of optionsOf(words)) expect(stdout).toMatch(new RegExp(`${option}[ ,]`))
  })
})

test('every npm run names a script, and every npm test names existing tests', () => {
  const { scripts } = JSON.parse(text('package.json'))
  for (const page of pages) {
    for (const [, name] of text(page).matchAll(/npm run ([\w-]+)/g)) {
      expect(Object.keys(scripts), page).toContain(name)
    }
    for (const [, path = ''] of text(page).matchAll(/npm test -- (test\/[\w./-]+)/g)) {
      expect(existsSync(resolve(root, path)), `${page}: ${path}`).toBe(true)
    }
  }
})

test('CONTRIBUTING.md names existing tests', () => {
  const named = [...text('CONTRIBUTING.md').matchAll(/`(test\/[a-z/.-]*[a-z/])`/g)].map(
    ([, it]) => it!,
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

describe('the drawing of the house', () => {
  const page = text('docs/design.md')
  const [drawing = '', call = ''] = blocks
    .filter((it) => it.page === 'docs/design.md' && it.lang === '')
    .map(({ code }) => code)

  test('fits on a screen', () => {
    expect(drawing.split('\n').length).toBeLessThan(40)
  })

  test('has every folder of src/ and of both foundations', () => {
    const folders = ['src', 'src/mcp', 'src/database'].flatMap((above) =>
      globSync(`${above}/*/`, { cwd: root }).map((path) => `${path.split(/[\\/]/).at(-1)}/`),
    )
    expect(folders.length).toBeGreaterThan(15)
    expect(folders.filter((folder) => !drawing.includes(folder))).toEqual([])
  })

  test('is followed by the path of a call through existing files', () => {
    const files = call.split('\n').map((line) => line.trim().split(/\s/, 1)[0]!)
    expect(files.length).toBeGreaterThan(10)
    expect(files.filter((file) => !existsSync(join(root, 'src', file)))).toEqual([])
  })

  test('is followed by a table that names existing files', () => {
    const files = [...page.matchAll(/\| `([a-z/-]+\.ts)` \|$/gm)].map(([, it]) => it!)
    expect(files.length).toBeGreaterThan(6)
    expect(files.filter((file) => !existsSync(join(root, 'src', file)))).toEqual([])
  })
})

describe('the configurations for hosts', () => {
  const configs = blocks.filter(({ page, lang, code }) => {
    const isConfig = lang === 'json' || lang === 'yaml' || / mcp add /.test(code)
    // Those that start a command are run in test/command/hosts.test.ts.
    return /^(?:README|docs\/hosts)\.md$/.test(page) && isConfig && !/\bnpx\b/.test(code)
  })

  test('cover at least ten hosts, and docs/hosts.md has those in the README', () => {
    const [first, all] = ['README.md', 'docs/hosts.md'].map((page) =>
      configs.filter((it) => it.page === page),
    )
    expect(first).toHaveLength(5)
    expect(all!.length).toBeGreaterThan(9)
    expect(first!.filter(({ code }) => !all!.some((it) => it.code === code))).toEqual([])
  })

  test.each(configs.filter(({ lang }) => lang === 'json' || lang === 'yaml'))(
    'have the URL and the key of one server: $code',
    ({ lang, code }) => {
      const json = lang === 'yaml' ? code.replace(/^(\w+): (.*)$/s, '{"$1": $2}') : code
      const [servers] = Object.values(JSON.parse(json)).filter((it) => {
        return Array.isArray(it) ? 'name' in it[0] : 'tidegate' in (it as object)
      }) as [object]
      const [server] = Object.values(servers)
      const { headers } = server.requestOptions ?? server
      expect(server.url).toBe('URL')
      expect(headers.Authorization).toMatch(/^Bearer (?:KEY|\$\{input:key\})$/)
    },
  )

  test.each(configs.filter(({ lang }) => lang === 'sh'))(
    'are commands with the URL, and with the key as one argument: $code',
    async ({ code }) => {
      const [program = ''] = code.split(' ')
      const { stdout } = await run('sh', ['-c', `${program}() { printf '%s\\n' "$@"; }; ${code}`])
      const words = stdout.trimEnd().split('\n')
      expect(words.slice(0, 2)).toEqual(['mcp', 'add'])
      expect(words).toContain('URL')
      expect(words.filter((it) => it.includes('KEY'))).toEqual([
        expect.stringMatching(/^(?:Authorization(?:: |=)Bearer KEY|TIDEGATE_KEY)$/),
      ])
    },
  )
})

/** The rest of an endpoint, for examples that show only a part. */
const base = { name: 'shop', title: 'Shop', databases: { shop: { url: 'demo:' } } }

/** Every endpoint in an example, with its page. */
const examples = written('json').flatMap(({ page, code }) => {
  const value = JSON.parse(code)
  const all = Array.isArray(value) ? value : value.keep ? [{ ...base, ...value }] : []
  return all.map((endpoint: typeof base & Shown) => ({ page, endpoint }))
})

describe('the examples of endpoints', () => {
  test('cover endpoints, tools and search', () => {
    expect(new Set(examples.map(({ page }) => page))).toEqual(
      new Set(['docs/endpoints.md', 'docs/tools.md']),
    )
    const shown: readonly Shown[] = examples.map(({ endpoint }) => endpoint)
    expect(shown.some(({ search }) => search)).toBe(true)
    expect(shown.some(({ tools }) => tools)).toBe(true)
  })

  test.each(examples)('in $page can be served', ({ endpoint }) => {
    const [read] = readEndpoints({ ENDPOINTS: JSON.stringify([endpoint]) })
    expect(gateway(read!, { fetch, bindings: { SHOP_URL: 'demo:', DEMO: {} } }).name).toBe(
      'tidegate',
    )
  })

  test('have a claim that is valid as a parameter of a tool', () => {
    const [claim] = written('json').filter(({ code }) => code.includes('"claim"'))
    const sql = 'select id from orders where tenant = $1'
    const own = { name: 'own', description: 'The orders of the tenant.', sql }
    const tools = [{ ...own, params: [JSON.parse(claim!.code)] }]
    expect(readEndpoints({ ENDPOINTS: JSON.stringify([{ ...base, tools }]) })).toHaveLength(1)
  })
})

describe('the tables of endpoints.md', () => {
  const tables = tokens('docs/endpoints.md').filter((it): it is Tokens.Table => it.type === 'table')
  const cells = (row: Tokens.TableCell[]) => row.map((it) => it.text.replace(/`|,(?=\d)/g, ''))
  const faultOf = (more: object) => {
    try {
      readEndpoints({ ENDPOINTS: JSON.stringify([{ ...base, ...more }]) })
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }

  test.each(tables[0]!.rows.map(cells))('list the field %s', (field) => {
    expect(faultOf({ [field]: null })).toContain(field)
    expect(faultOf({ [field]: null })).not.toContain('unknown')
  })

  test.each(tables[1]!.rows.map(cells))('list cap %s: %s, %s (%s to %s)', (cap, _, ...numbers) => {
    const [usual, from, to] = numbers.map(Number) as [number, number, number]
    const [read] = readEndpoints({ ENDPOINTS: JSON.stringify([base]) })
    expect(read!.caps).toMatchObject({ [cap]: usual })
    for (const fine of [from, to]) expect(faultOf({ caps: { [cap]: fine } })).toBe('')
    for (const past of [from - 1, to + 1]) expect(faultOf({ caps: { [cap]: past } })).not.toBe('')
  })
})

test('sign-in-providers.md lists every variable of a sign-in', () => {
  const known = [...text('src/auth/settings.ts').matchAll(/^ {2}readonly ([A-Z_]+)\?:/gm)]
  const listed = [...text('docs/sign-in-providers.md').matchAll(/^\| `([A-Z_]+)` \|/gm)]
  expect(known.length).toBeGreaterThan(10)
  expect(listed.map(([, it]) => it)).toEqual(known.map(([, it]) => it))
})

test('errors.md quotes messages that exist', () => {
  const said = globSync('src/**/*.ts', { cwd: root }).map(text).join('\n')
  const quoted = [...text('docs/errors.md').matchAll(/^\|[^|]*"([A-Z][^"]+)"/gm)].map(
    ([, it]) => it!,
  )
  const ours = quoted.filter((it) => !it.startsWith('Dynamic Client Registration'))
  expect(ours.length).toBeGreaterThan(5)
  expect(ours.filter((it) => !said.includes(it))).toEqual([])
})

describe('code that can be run', () => {
  const KEY = { authorization: 'Bearer KEY' }
  const ENDPOINTS = JSON.stringify([
    { ...base, access: 'public' },
    ...examples.map(({ endpoint }, i) => ({ ...endpoint, name: `example${i}` })),
  ])
  let worker: RunningWorker
  beforeAll(async () => {
    worker = await startWorker({ ENDPOINTS, TIDEGATE_KEY: 'KEY', SHOP_URL: 'demo:' })
  })
  afterAll(() => worker.close())

  // The command in the tutorial calls the tutorial's own server.
  const asks = written('sh').filter((it) => it.code.startsWith('curl') && it.page !== 'docs/mcp.md')
  test.each(asks)('answers the curl command in $page', async ({ page, code }) => {
    const here = code.replace(
      /http:\/\/127\.0\.0\.1:8787|https:\/\/[\w.-]+\.workers\.dev/,
      worker.url,
    )
    expect(here).toContain(worker.url)
    const { stdout } = await run('sh', ['-c', here])
    expect(stdout, page).toMatch(/"rowCount":\d|^shop\/shop: SQLite/m)
  })

  test.each(examples.map((it, i) => [it.page, i, it.endpoint] as const))(
    'lists the tools of the example in %s',
    async (_, i, { search, tools }: (typeof examples)[number]['endpoint'] & Shown) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
      const answer = await post(`${worker.url}/mcp/example${i}`, body, KEY)
      const names = answer.json().result.tools.map((it: { name: string }) => it.name)
      const own = tools?.map((it) => (typeof it === 'string' ? it : it.name)) ?? []
      expect(names).toEqual(expect.arrayContaining([...own, ...(search ? ['search'] : [])]))
    },
  )

  test('runs the tool in tools.md, and finds rows with its search', async () => {
    const at = (field: 'search' | 'tools') =>
      examples.findIndex(({ page, endpoint }) => page === 'docs/tools.md' && field in endpoint)
    const tools = `${worker.url}/mcp/example${at('tools')}`
    const orders = await callTool(tools, 'orders_of_customer', { customer: 1 }, KEY)
    expect(orders.structuredContent.columns).toHaveLength(3)
    const search = `${worker.url}/mcp/example${at('search')}`
    const { structuredContent } = await callTool(search, 'search', { query: 'a' }, KEY)
    expect(structuredContent.results[0].url).toMatch(/^https:\/\/shop\.example\.com\/product\/\d+$/)
  })

  test.each(written('sql').filter(({ code }) => code.startsWith('select')))(
    'answers the statement in $page: $code',
    async ({ code }) => {
      const asked = { sql: code, params: [0] }
      const { structuredContent } = await callTool(`${worker.url}/mcp`, 'query', asked)
      expect(structuredContent.rowCount).toBeGreaterThan(0)
    },
  )
})

/** The optional fields of an example. */
interface Shown {
  readonly search?: unknown
  readonly tools?: readonly (string | { readonly name: string })[]
}

await describePostgres('PostgreSQL', 'create table shown (id int)', (postgres) => {
  test.each(written('sql').filter(({ code }) => code.startsWith('create role')))(
    'accepts the role in $page, which can only read',
    async ({ code }) => {
      const made = await postgres.admin(
        `begin; ${code}; select has_table_privilege('tidegate', 'shown', 'select') reads,
         has_table_privilege('tidegate', 'shown', 'insert') writes; rollback`,
      )
      const all = made as unknown as { rows: object[] }[]
      expect(all.flatMap(({ rows }) => rows)).toEqual([{ reads: true, writes: false }])
    },
  )
})

await describeMariaDb('MariaDB', 'create table shown (id int)', (mariadb) => {
  test.each(written('sql').filter(({ code }) => code.startsWith('create user')))(
    'accepts the user in $page, which can only read',
    async ({ code }) => {
      const user = `${mariadb.database}_shown`
      const here = code.replaceAll('tidegate', user).replaceAll('shop.', `${mariadb.database}.`)
      try {
        await mariadb.admin(here)
        const grants = await mariadb.admin(`show grants for ${user}`)
        const texts = grants.flatMap((it) => Object.values(it) as string[])
        expect(texts[0]).toMatch(/^GRANT USAGE ON \*\.\* /)
        expect(texts.slice(1)).toEqual([expect.stringMatching(/^GRANT SELECT ON /)])
      } finally {
        await mariadb.admin(`drop user if exists ${user}`)
      }
    },
  )
})

/** The number of lines of code in these files, without blank lines and comments. */
const linesOf = (...paths: string[]) =>
  paths
    .flatMap((it) =>
      text(it)
        .replace(/^\s*\/\*\*.*?\*\/$/gms, '')
        .split('\n'),
    )
    .filter((it) => it.trim() && !it.trim().startsWith('//')).length

test('the line counts in compared.md are right', () => {
  const servers = { notes: 'notes', contacts: 'crm', issues: 'github-issues' }
  const all = { calculator: 'calculator', ...servers, 'browser and sheets': 'browser-and-sheets' }
  for (const [said, name] of Object.entries(all)) {
    const sdk = globSync(`bench/sdk/${name}{,-stdio}.ts`, { cwd: root })
    const lines = [linesOf(`examples/${name}/server.ts`), linesOf(...sdk)]
    expect(text('bench/compared.md')).toContain(`| ${said}, lines of code | ${lines.join(' | ')} |`)
    // Including blank lines and comments.
    expect(text(`examples/${name}/server.ts`).split('\n').length - 1).toBeLessThanOrEqual(120)
  }
  const everything = linesOf(...globSync('examples/everything/*.ts', { cwd: root }))
  expect(text('bench/compared.md')).toContain(`| lines of code | ${everything} |`)
})
