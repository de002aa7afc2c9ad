import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { parseAst } from 'rolldown/parseAst'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Misses } from '../src/registry/calls/misses.ts'
import { authorization } from './support/authorization.ts'

const { Tries } = await import('../src/auth/server/tries.ts')

const root = join(import.meta.dirname, '..')

/** The reason why a stranger cannot fill a table or a collection. A new one needs an entry. */
type Sort =
  | { readonly unreachable: string } // Only the operator, or people who are signed in, add to it.
  | { readonly gap: string } // It has no bound yet. Do not add another one.
  | { readonly brief: string } // It ends with the call, the connection or the request that made it.
  | {
      /** The constant, type or object that bounds it. */
      readonly bound: string
      /** The file that has the bound, if it is another one. */
      readonly in?: string
      /** How one network is prevented from filling it, or why it can. */
      readonly network: string
    }

const unreachable = (why: string): Sort => ({ unreachable: why })
const brief = (why: string): Sort => ({ brief: why })
const bound = (name: string, network: string, file?: string): Sort => ({
  bound: name,
  network,
  ...(file !== undefined && { in: file }),
})

const OPERATOR = unreachable('only the operator writes it')
const DEMO = unreachable('the rows of the demo are written once, by us')
const CONSTANT = unreachable('it stays empty: nothing adds to it')
const NAMES = unreachable('it has one entry for each thing that the operator configured')
const CALL = brief('it belongs to one call')
const EXAMINATION = brief('it belongs to one examination, with a few entries for each check')
const ANSWER = brief('it belongs to one answer, within the limits of rows and bytes')
const STATEMENT = brief('it belongs to the analysis of one statement')
const BROWSER = brief("it is in the operator's own browser")
const PIPE = unreachable('its one client is the user who started the process')
const EMBEDDED = unreachable(
  'no deployment uses it: it is for tests and for programs that embed it',
)

/** Every SQL table that src creates, by its file. */
const TABLES: Readonly<Record<string, Readonly<Record<string, Sort>>>> = {
  'src/auth/server/events.ts': {
    events: bound('MAX_EVENTS', 'strangers have a table of their own'),
    strangers: bound('MAX_OF_STRANGERS', 'a /48 or /24 has MAX_OF_SITE, and equal ones are merged'),
  },
  'src/auth/server/store.ts': {
    entries: bound(
      'MAX_UNUSED',
      'the /48 or /24 with the most registrations is evicted; other entries belong to people',
      'src/auth/server/registration.ts',
    ),
    places: bound(
      'MAX_UNUSED',
      'the same as the entries that they belong to',
      'src/auth/server/registration.ts',
    ),
    tallies: bound('MAX_TALLIES', 'two for each network; the oldest go, which refuses nobody'),
  },
  'src/auth/server/tries.ts': {
    tries: bound(
      'MAX_ROWS',
      'a network and its /48 or /24 wait after a few; MAX_OF_ALL bounds the rest',
    ),
  },
  'src/database/demo/statements.ts': {
    ...{ categories: DEMO, products: DEMO, customers: DEMO, orders: DEMO },
    ...{ order_items: DEMO, payments: DEMO, reviews: DEMO },
  },
  'src/node/objects/alarms.ts': {
    _alarms: bound(
      'ObjectsFile',
      'an object has one, which is deleted with its values',
      'src/node/objects/room.ts',
    ),
  },
  'src/node/objects/storage.ts': {
    _cf_KV: bound(
      'MAX_FILE_BYTES',
      'not by network: the least recently used sessions and results are evicted',
      'src/node/objects/state-file.ts',
    ),
  },
  'src/registry/records/record-log.ts': {
    records: bound(
      'records',
      'not by network: the oldest are deleted, and equal refusals share a record',
      'src/gateway/config/endpoint-schema.ts',
    ),
    lost: bound('HOUR_MS', 'one row an hour for all callers; deleted with the records'),
  },
  'src/registry/state/registry-health.ts': { state_version: unreachable('it has one row') },
  'src/registry/state/registry-tables.ts': {
    ...{ endpoints: OPERATOR, keys: OPERATOR, groups: OPERATOR, settings: OPERATOR },
    ...{ credentials: OPERATOR, members: OPERATOR, changes: OPERATOR, noted_changes: OPERATOR },
    staged: OPERATOR,
  },
}

/** Every collection that grows and outlives a function call, by its file. */
const COLLECTIONS: Readonly<Record<string, Readonly<Record<string, Sort>>>> = {
  'src/auth/server/turns.ts': {
    '#lines': bound(
      'MAX_WAITING',
      'a line belongs to one grant, and ends with it',
      'src/auth/server/token-endpoint.ts',
    ),
  },
  'src/console/doctor/index.tsx': { states: BROWSER },
  'src/console/workbench/arguments.ts': { empty: BROWSER },
  'src/database/clickhouse/answer.ts': { readers: ANSWER },
  'src/database/clickhouse/server-capabilities.ts': { defaultCapabilities: CONSTANT },
  'src/database/clickhouse/values.ts': { cells: ANSWER, entries: ANSWER },
  'src/database/demo/bounded.ts': { known: STATEMENT },
  'src/database/demo/rows.ts': { payments: DEMO },
  'src/database/demo/table-sizes.ts': {
    '#counted': unreachable('it has the tables and columns of the demo, which never change'),
    '#queries': STATEMENT,
  },
  'src/database/guard/placeholders.ts': { shifts: STATEMENT },
  'src/database/mysql/tcp/answer.ts': { fields: ANSWER, rows: ANSWER },
  'src/database/mysql/tcp/connection.ts': {
    '#prepared': brief('it is emptied before the connection goes to another call'),
  },
  'src/database/postgres/libpq/own-login.ts': {
    warned: unreachable("it has the operator's own files"),
  },
  'src/database/postgres/libpq/own-settings.ts': {
    stated: unreachable("it comes from the operator's URL"),
  },
  'src/database/postgres/tcp/connection.ts': { reported: brief('it belongs to one login') },
  'src/database/postgres/tcp/query.ts': { fields: ANSWER, rows: ANSWER },
  'src/database/schema/kept-answers.ts': {
    inIsolate: bound('MAX_ISOLATE_CHARACTERS', 'the least recently used are evicted'),
  },
  'src/database/sessions.ts': { '#open': CALL },
  'src/database/sqlite/exact.ts': { classes: ANSWER },
  'src/database/statements/select.ts': { params: STATEMENT },
  'src/database/transport/byte-budget.ts': {
    '#expected': brief('a place is released when its answer has arrived'),
    '#streams': brief('it belongs to one connection, which has one stream'),
  },
  'src/database/transport/patient-login.ts': {
    '#places': brief('a place is released within the time limit of its call, or after LOST_MS'),
    lines: brief('an empty line is dropped, and each belongs to one database'),
  },
  'src/database/guard/row-names.ts': {
    found: brief('a statement has at most 100,000 characters'),
    uses: brief('a statement has at most 100,000 characters'),
  },
  'src/database/transport/pool.ts': {
    '#idle': bound('MOST_KEPT', 'connections are kept for later calls'),
    '#lent': bound('MOST_LENT', 'each is returned at the end of its call'),
    '#waiting': brief('one waits at most for the time limit of its call'),
  },
  'src/database/transport/row-cap.ts': { rows: ANSWER },
  'src/database/transport/servers.ts': { '#avoided': NAMES },
  'src/gateway/diagnose/diagnosis.ts': { diagnoses: CALL },
  'src/gateway/answer/filter-kept.ts': { known: CALL },
  'src/gateway/answer/like-matcher.ts': { masks: STATEMENT },
  'src/gateway/questions/question-watch.ts': { '#broken': NAMES },
  'src/gateway/open/role-warning.ts': { inspected: NAMES },
  'src/gateway/schema/schema-changes.ts': { seen: NAMES },
  'src/gateway/schema/table-view.ts': { near: CALL },
  'src/gateway/tools/verified-question.ts': { unlooked: CONSTANT },
  'src/host-checks/report.ts': { '#obstacles': EXAMINATION, findings: EXAMINATION },
  'src/mcp/durable/hub-queue.ts': {
    '#begun': bound('MAX_JOBS', 'jobs are changes, which no caller makes'),
  },
  'src/mcp/features/changes.ts': { listeners: EMBEDDED, versions: EMBEDDED },
  'src/mcp/memory.ts': {
    '#listeners': bound(
      'sessionLimits',
      'it belongs to one session',
      'src/mcp/sessions/session-limits.ts',
    ),
    ...{ followers: EMBEDDED, sessions: EMBEDDED, stores: EMBEDDED, tasks: EMBEDDED },
    values: EMBEDDED,
  },
  'src/mcp/sessions/calls.ts': {
    '#awaited': brief('one open request has one'),
    '#running': bound(
      'sessionLimits',
      'it belongs to one session',
      'src/mcp/sessions/session-limits.ts',
    ),
  },
  'src/mcp/sessions/streams.ts': { '#sinks': brief('one open request has one') },
  'src/mcp/state/signed-ids.ts': {
    known: bound('MAX_KNOWN_IDS', 'a forgotten one is computed again'),
  },
  'src/mcp/state/tasks.ts': { ids: CALL },
  'src/mcp/stdio.ts': { '#answering': PIPE, '#running': PIPE },
  'src/mcp/wire/lines.ts': { kept: PIPE },
  'src/node/connections.ts': {
    open: bound('connectionBounds', 'an address or a /64 has a part of all connections'),
  },
  'src/node/listen.ts': {
    running: bound('connectionBounds', 'a connection has one request', 'src/node/connections.ts'),
  },
  'src/node/machine.ts': { kept: NAMES },
  'src/node/objects/alarms.ts': {
    '#owed': brief('it is written to its table at the next alarm'),
  },
  'src/node/objects/disk.ts': { '#marks': unreachable('an object writes to one or two files') },
  'src/node/objects/namespace.ts': {
    '#open': bound(
      'MAX_OPEN',
      'idle ones are closed; there are at most as many busy ones as connections',
    ),
  },
  'src/node/objects/open-object.ts': { '#sockets': brief('a socket is removed when it is closed') },
  'src/node/objects/room.ts': {
    '#shares': bound(
      'MAX_FILE_BYTES',
      'the same as the stored values',
      'src/node/objects/state-file.ts',
    ),
  },
  'src/node/objects/sockets.ts': {
    '#listeners': unreachable('our own code listens, once'),
    '#waiting': brief('it ends as soon as our own code accepts the socket'),
  },
  'src/node/rate.ts': {
    counts: bound('MAX_KEYS', 'a network has one; past the limit, all counts restart'),
  },
  'src/node/ssh/tunnel.ts': {
    streams: brief('a connection has one, and a pool or a client bounds these'),
    waiting: brief('one waits at most for the time limit of its call'),
  },
  'src/node/workers.ts': { background: brief('each is removed when its work is done') },
  'src/registry/calls/calls.ts': { running: NAMES },
  'src/registry/state/export.ts': { credentials: OPERATOR },
  'src/registry/limits/meters.ts': {
    '#known': bound(
      'MAX_KNOWN',
      'a network has one for each endpoint; those with nothing left to send are evicted',
    ),
  },
  'src/registry/calls/misses.ts': {
    '#counts': bound('MAX_COUNTS', 'a network has two, and all are deleted each minute'),
  },
  'src/ground/bounded-map.ts': {
    '#entries': bound('MapBounds', 'every map has a limit, and its values can be read again'),
  },
  'src/registry/records/recorder.ts': { '#queues': NAMES },
  'src/registry/state/rows.ts': { '#sizes': NAMES },
  'src/registry/traces/durations.ts': {
    '#series': bound('MAX_ENDPOINTS', 'its names are endpoints'),
  },
  'src/registry/traces/exporter.ts': {
    '#waiting': bound('MAX_WAITING', 'not by network: spans past it are dropped and counted'),
  },
}

/** Every value that an object stores under a computed name, by its file. */
const STORED: Readonly<Record<string, Readonly<Record<string, Sort>>>> = {
  'src/mcp/durable/hub-object.ts': {
    'VERSION + uri': NAMES,
    'WATCHER + name': {
      gap: 'on Node, an evicted session is unwatched only at the next change',
    },
  },
  'src/mcp/durable/hub-queue.ts': {
    'JOB + crypto.randomUUID()': bound('MAX_JOBS', 'jobs are changes, which no caller makes'),
    key: bound('MAX_JOBS', 'it replaces a job'),
  },
  'src/mcp/sessions/event-log.ts': {
    'keyOf(number)': bound(
      'sessionLimits',
      'it belongs to one session',
      'src/mcp/sessions/session-limits.ts',
    ),
  },
  'src/mcp/sessions/waiting-calls.ts': {
    'PREFIX + call.key': brief('a call that asked its client is dropped after answerMs'),
  },
  'src/mcp/state/storage.ts': {
    "prefix + String(at).padStart(12, '0')": brief(
      'it belongs to one text, within the limit of its answer',
    ),
  },
  'src/mcp/state/store.ts': {
    at: bound('storeLimits', 'it belongs to one session or store', 'src/mcp/state/stores.ts'),
  },
}

/** The fields of a syntax tree node that this test reads. */
interface Node {
  readonly type?: string
  readonly [field: string]: unknown
}

const sources = globSync('src/**/*.{ts,tsx}', { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  // The command works only for the user who started it.
  .filter((path) => !path.endsWith('.d.ts') && !path.startsWith('src/command/'))
  .sort()

const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

const FUNCTIONS = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/

/** Methods that call a function before they return, so that it does not outlive the call. */
const AT_ONCE =
  /^(?:map|forEach|flatMap|filter|some|every|find|findLast|findIndex|sort|toSorted|reduce|replace|replaceAll|from)$/

const isNode = (it: unknown): it is Node => typeof it === 'object' && it !== null

const nameOf = (it: unknown): string => {
  const { type, name } = it as { readonly type: string; readonly name?: string }
  return `${type === 'PrivateIdentifier' ? '#' : ''}${name ?? ''}`
}

/** The collections that an expression makes, without the functions in it. */
function madeIn(it: unknown): ('empty' | 'map' | 'filled')[] {
  if (!isNode(it) || FUNCTIONS.test(it.type ?? '')) return []
  const deeper = Object.entries(it).flatMap(([field, part]) =>
    field.startsWith('type') ? [] : madeIn(part),
  )
  if (it.type === 'NewExpression' && /^(?:Map|Set)$/.test(nameOf(it.callee))) {
    return [(it.arguments as unknown[]).length > 0 ? 'filled' : 'map', ...deeper]
  }
  if (it.type === 'ArrayExpression') {
    return [(it.elements as unknown[]).length > 0 ? 'filled' : 'empty', ...deeper]
  }
  const isRecord = it.type === 'ObjectExpression' && (it.properties as unknown[]).length === 0
  return isRecord ? ['empty', ...deeper] : deeper
}

/** True if a file adds to something with this name. */
function grows(name: string, text: string): boolean {
  const own = name.replace(/[$]/g, '\\$&')
  const part = String.raw`(?:!|\?)?(?:\[[^\]]*\]|\.\w+)?`
  const adds = String.raw`(?:\.(?:set|add|push|unshift|splice)\(|\[[^\]]+\]\s*(?:\?\?)?=[^=])`
  return new RegExp(String.raw`(?:^|[^\w#$])${own}${part}${adds}`, 'm').test(text)
}

/** The names of the collections in a file that outlive a call: in the module, in objects and in closures. */
function collectionsOf(file: string): string[] {
  const text = textOf(file)
  const found = new Set<string>()
  const note = (name: string, made: unknown) => {
    const kinds = madeIn(made)
    if (kinds.includes('map') || (kinds.length > 0 && grows(name, text))) found.add(name)
  }
  const visit = (it: unknown, inside: readonly boolean[], scope: ReadonlyMap<string, number>) => {
    if (!isNode(it)) return
    if (Array.isArray(it)) {
      for (const part of it) visit(part, inside, scope)
      return
    }
    const { type, id, init, left, right } = it as Record<string, Node>
    const kind = type as unknown as string
    if (kind === 'PropertyDefinition') note(nameOf(it.key), it.value)
    if (kind === 'AssignmentExpression') {
      const owner = left?.object as Node | undefined
      if (owner?.type === 'ThisExpression' && madeIn(right).includes('map')) {
        note(nameOf(left!.property), right)
      }
      if (left?.type === 'Identifier' && scope.get(nameOf(left)) === 0) note(nameOf(left), right)
    }
    let known = scope
    if (FUNCTIONS.test(kind)) known = new Map([...scope, ...declaredIn(it.body, inside.length)])
    if (kind === 'VariableDeclarator' && id?.type === 'Identifier' && inside.length === 0) {
      note(nameOf(id), init)
    }
    // A function that outlives the call uses it as a closure.
    const depth = kind === 'Identifier' ? (scope.get(nameOf(it)) ?? 0) : 0
    if (depth > 0 && inside.slice(depth).includes(true)) found.add(nameOf(it))
    const callee = (it.callee as Node | undefined)?.property
    const atOnce =
      kind === 'NewExpression' || (kind === 'CallExpression' && AT_ONCE.test(nameOf(callee ?? {})))
    for (const [field, part] of Object.entries(it)) {
      const parts = Array.isArray(part) ? part : [part]
      for (const one of parts) {
        const isFunction = isNode(one) && FUNCTIONS.test(one.type ?? '')
        const within = isFunction ? [...inside, !(atOnce && field === 'arguments')] : inside
        visit(one, within, known)
      }
    }
  }
  const tree = parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file)
  visit(tree, [], new Map(declaredIn(tree, 0)))
  return [...found].sort()
}

/** The variables of a function or a module, with the depth of the empty collections, and -1 for the others. */
function declaredIn(it: unknown, depth: number): [name: string, depth: number][] {
  if (!isNode(it) || FUNCTIONS.test(it.type ?? '')) return []
  const deeper = Object.values(it).flatMap((part) => declaredIn(part, depth))
  const { type, id, init } = it as Record<string, Node>
  if ((type as unknown as string) !== 'VariableDeclarator' || id?.type !== 'Identifier')
    return deeper
  const args = (init?.arguments ?? init?.elements) as unknown[] | undefined
  const isEmpty =
    args?.length === 0 &&
    (init?.type === 'ArrayExpression' || /^(?:Map|Set)$/.test(nameOf(init?.callee ?? {})))
  return [[nameOf(id), isEmpty || depth === 0 ? depth : -1], ...deeper]
}

const TABLE =
  /create (?:virtual )?table (?:if not exists )?["`]?(\w+)["`]? ?(?:\(|\n|as\b|using\b)/gi

/** The names under which a file stores values, except fixed ones: a string, or just a constant. */
function storedNames(file: string): string[] {
  const puts = /\b(?:kv|storage)\.put(?:<\w+>)?\(((?:[^(),]|\([^()]*\))+),/gi
  const found = [...textOf(file).matchAll(puts)].map(([, name]) => name!.trim())
  return [...new Set(found)].filter((name) => !/^(?:'[^']*'|[A-Z_]+)$/.test(name))
}

const listed = (of: (file: string) => readonly string[]) =>
  sources.flatMap((file) => of(file).map((name) => `${file} ${name}`)).sort()

const sorted = (all: typeof TABLES) =>
  Object.entries(all).flatMap(([file, names]) =>
    Object.entries(names).map(([name, sort]) => ({ file, name, sort })),
  )

const names = (all: typeof TABLES) =>
  sorted(all)
    .map(({ file, name }) => `${file} ${name}`)
    .sort()

const ALL = [TABLES, COLLECTIONS, STORED].flatMap(sorted)

describe('the list of storage that a stranger could fill', () => {
  test('has every table', () => {
    const found = listed((file) => [...textOf(file).matchAll(TABLE)].map(([, name]) => name!))
    expect(found).toEqual(names(TABLES))
  })

  test('has every collection that outlives a call', () => {
    expect(listed(collectionsOf)).toEqual(names(COLLECTIONS))
  })

  test('has every value with a computed storage key', () => {
    expect(listed(storedNames)).toEqual(names(STORED))
  })

  test('has only one entry without a bound', () => {
    const open = ALL.filter(({ sort }) => 'gap' in sort)
    expect(open.map(({ file, name }) => `${file} ${name}`)).toEqual([
      'src/mcp/durable/hub-object.ts WATCHER + name',
    ])
  })

  test.each(ALL)('has a reason or a bound for $file: $name', ({ file, sort }) => {
    if (!('bound' in sort)) return expect(Object.values(sort)[0]).toMatch(/\w+ \w+/)
    const home = sort.in ?? file
    const declared = new RegExp(
      String.raw`^(?:export )?(?:const|interface|class) ${sort.bound}\b`,
      'm',
    )
    expect(textOf(home), `${home} has no ${sort.bound}`).toMatch(declared)
    expect(sort.network).toMatch(/\w+ \w+/)
  })
})

describe('one network of strangers', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2027, 0, 1) })
    vi.spyOn(console, 'log').mockImplementation(() => {})
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  test('with 10,000 registrations leaves room for another network', async () => {
    const server = authorization()
    const register = async (address: string) => {
      const app = { redirect_uris: ['http://127.0.0.1/'], token_endpoint_auth_method: 'none' }
      const from = { 'cf-connecting-ip': address }
      return (await server.post('/register', JSON.stringify(app), from)).status
    }
    let made = 0
    for (let i = 0; i < 10_000; i++) {
      if ((await register(`192.0.2.${i % 256}`)) === 201) made++
    }
    expect(made).toBe(300)
    expect(await (await server.store()).count('client:')).toBe(300)
    expect(await register('198.51.100.1')).toBe(201)
  })

  test('with 30,000 guessed codes does not delay others, and fills no table', async () => {
    const database = new DatabaseSync(':memory:')
    const exec = (sql: string, ...bindings: SQLInputValue[]) => {
      const rows = database.prepare(sql).all(...bindings)
      return Object.assign(rows.values(), { one: () => rows[0] })
    }
    const tries = new Tries({ exec } as unknown as SqlStorage)
    for (let i = 0; i < 30_000; i++) tries.begin(`192.0.2.${i % 256}`, false)
    expect(tries.waitOf('192.0.2.1')).toBeGreaterThan(0)
    expect(tries.waitOf('198.51.100.1')).toBe(0)
    expect(tries.waitOfAll()).toBe(0)
    expect(exec('select count(*) as n from tries').one()!.n).toBe(20_000)
    database.close()
  })

  test('with 100,000 made-up keys is refused, and another network is not', () => {
    const misses = new Misses()
    for (let i = 0; i < 100_000; i++) misses.note(`2001:db8:1:${(i % 65_536).toString(16)}`)
    expect(misses.tooMany('2001:db8:1:ffff')).toBe(true)
    expect(misses.tooMany('2001:db8:2:1')).toBe(false)
  })
})
