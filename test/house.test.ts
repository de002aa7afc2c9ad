import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

/** Who may import whom. The Worker's entry, src/index.ts, belongs to the door. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  door: ['console', 'auth', 'host-checks', 'registry', 'gateway', 'mcp', 'database', 'ground'],
  // Of the registry only types: the Console asks the API by requests.
  console: ['registry', 'ground'],
  'host-checks': ['ground'],
  auth: ['registry', 'mcp', 'ground'],
  registry: ['gateway', 'mcp', 'database', 'ground'],
  gateway: ['mcp', 'database', 'ground'],
  mcp: [],
  database: ['ground'],
  ground: [],
  examples: ['mcp', 'database'],
  // The Worker on a machine of one's own: it takes the place of the platform.
  node: ['door', 'registry', 'gateway', 'mcp', 'database', 'ground'],
  // `npx tidegate`: nothing uses it.
  command: ['node', 'host-checks', 'registry', 'gateway', 'mcp', 'database', 'ground'],
}

/** What others may import of the door: the Worker, and what it serves. */
const DOORS = ['src/index.ts', 'src/door/deployment.ts']

/**
 * Side doors: the reader of a SQLite file is a process of its own, which starts faster with little; a Worker reads
 * nothing that only `node` uses; and the command uses parts of `node` that are not public.
 */
const SIDE_DOORS = [
  'src/database/sqlite/reader.ts',
  'src/database/on-node.ts',
  'src/node/command.ts',
]

/** The foundations: other projects can stand on them, so they stand on next to nothing. */
const FOUNDATIONS = ['mcp', 'database', 'ground']

/** What they stand on: packages, and the ground, which stands on nothing. */
const BELOW = ['zod/mini', 'zod/v4/core', 'src/ground/index.ts']

/**
 * The folders of a room, and the files that lie loose in it, in the order a reader meets them: each
 * needs only those above it. A folder of database/ that is not named here is an engine.
 */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  mcp: [
    ...['wire', 'features', 'state', 'eras', 'sessions', 'durable'],
    ...['memory', 'http', 'stdio', 'worker', 'index'],
  ],
  database: [
    ...['words', 'finite', 'error', 'sessions', 'catalog-use'],
    ...['rows', 'machine', 'fix', 'role', 'rules', 'dialect', 'database'],
    ...['guard', 'transport', 'iam', 'schema', 'statements', 'connection-string'],
    ...['an engine', 'doctor'],
    ...['engines', 'open', 'recognise', 'questions', 'on-node', 'index'],
  ],
}

const root = join(import.meta.dirname, '..')
const files = globSync(['src/**/*.{ts,tsx}', 'examples/**/*.{ts,tsx}'], { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .sort()

// A statement begins at the margin; whatever else says "import" there is a snippet within a text.
const STATEMENT =
  /^(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]/gm
const CALL = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g

interface Import {
  readonly from: string
  /** A path of this project, or the name of a package. */
  readonly to: string
}

const imports: Import[] = files.flatMap((from) => {
  const text = readFileSync(join(root, from), 'utf8')
  return [...text.matchAll(STATEMENT), ...text.matchAll(CALL)].map(([, named, bare]) => ({
    from,
    to: resolve(from, named ?? bare ?? ''),
  }))
})

function resolve(from: string, to: string): string {
  if (to === 'tidegate/mcp') return 'src/mcp/index.ts'
  if (to === 'tidegate/database') return 'src/database/index.ts'
  return to.startsWith('.')
    ? relative(root, join(root, dirname(from), to)).replaceAll('\\', '/')
    : to
}

/** The room a file is in; undefined for packages. */
function room(path: string): string | undefined {
  const [top, second, ...deeper] = path.split('/')
  if (top === 'examples') return top
  if (top !== 'src') return undefined
  return deeper.length > 0 || !second?.includes('.') ? second : 'door'
}

/** Whether a file is in a folder of its room or of its engine, and not loose in the room or the engine. */
const nested = (path: string) =>
  path.split('/').length > (divided.has(path.split('/', 3).join('/')) ? 4 : 3)

/** The engines whose files lie in folders of their own. */
const divided = new Set(
  files
    .filter((path) => room(path) === 'database' && path.split('/').length > 4)
    .map((path) => path.split('/', 3).join('/'))
    .filter((folder) => place(`${folder}/index.ts`) === 'an engine'),
)

const say = ({ from, to }: Import) => `${from} imports ${to}`

describe('the house', () => {
  test('is found by these tests', () => {
    expect(imports.length).toBeGreaterThan(files.length / 2)
    // What ends in .mjs is made by scripts/vendor.mjs: the libraries beside the drivers.
    const here = imports.filter(({ to }) => to.startsWith('src/') && !/\.(?:mjs|css)$/.test(to))
    expect(here.filter(({ to }) => !files.includes(to))).toEqual([])
  })

  test('has only the rooms in the drawing', () => {
    expect(files.filter((file) => !((room(file) ?? '') in ARROWS))).toEqual([])
  })

  test.each(FOUNDATIONS)('has %s below all others, with hardly any imports', (name) => {
    const outside = imports.filter(({ from, to }) => room(from) === name && room(to) !== name)
    expect(outside.filter(({ to }) => !BELOW.includes(to)).map(say)).toEqual([])
  })

  const crossings = imports.filter(({ from, to }) => room(to) && room(from) !== room(to))

  test('has arrows that only point down', () => {
    const upward = crossings.filter(
      ({ from, to }) => !ARROWS[room(from) ?? '']?.includes(room(to) ?? ''),
    )
    expect(upward.map(say)).toEqual([])
  })

  test('has a Console that takes only types from other rooms', () => {
    const code =
      /^(?:import|export) (?!type\b)[^'"`;]*from '(?:\.\.\/)+registry\/|import\(\s*'(?:\.\.\/)+registry\//m
    const taken = crossings.filter(({ from }) => room(from) === 'console')
    expect(taken.length).toBeGreaterThan(0)
    expect(taken.filter(({ from }) => code.test(readFileSync(join(root, from), 'utf8')))).toEqual(
      [],
    )
  })

  test('has rooms with one entrance, their index', () => {
    const entered = ({ to }: Import) =>
      room(to) === 'door'
        ? DOORS.includes(to)
        : [`src/${room(to)}/index.ts`, ...SIDE_DOORS].includes(to)
    expect(crossings.filter((it) => !entered(it)).map(say)).toEqual([])
  })

  test('has Console sections that do not import each other', () => {
    const sectionOf = (path: string) => /^src\/console\/(\w+)\//.exec(path)?.[1]
    const shared = ['parts', 'pages', 'stages', 'rules']
    const across = imports.filter(({ from, to }) => {
      const [section, other] = [sectionOf(from), sectionOf(to)]
      return section && other && section !== other && !shared.includes(other)
    })
    expect(across.map(say)).toEqual([])
    expect(imports.filter(({ from }) => sectionOf(from)).length).toBeGreaterThan(50)
  })

  test('has no folders that import each other, in a room or an engine', () => {
    const folders = imports.filter(({ from, to }) => {
      return room(from) === room(to) && dirname(from) !== dirname(to) && nested(from) && nested(to)
    })
    const pairs = new Set(folders.map(({ from, to }) => `${dirname(from)} ${dirname(to)}`))
    const both = folders.filter(({ from, to }) => pairs.has(`${dirname(to)} ${dirname(from)}`))
    expect(both.map(say)).toEqual([])
    expect(pairs.size).toBeGreaterThan(50)
  })

  test('has no circular imports', () => {
    expect(circles()).toEqual([])
  })

  test('has no files for odds and ends', () => {
    expect(files.filter((path) => /(^|[/-])(utils?|helpers?)[/.-]/.test(path))).toEqual([])
  })
})

describe.each(Object.keys(ORDER))('the room %s/', (name) => {
  const order = ORDER[name]!
  const within = imports.filter(({ from, to }) => room(from) === name && room(to) === name)

  test('has a place for every folder and file', () => {
    const places = files.filter((path) => room(path) === name).map(place)
    expect(order.filter((it) => !places.includes(it))).toEqual([])
    expect(places.filter((it) => !order.includes(it))).toEqual([])
  })

  test('lets each folder import only those above it', () => {
    const upward = within.filter(
      ({ from, to }) => order.indexOf(place(to)) > order.indexOf(place(from)),
    )
    expect(upward.map(say)).toEqual([])
  })
})

/** The folder of a room that a file is in, or its own name where it lies loose. */
function place(path: string): string {
  const [, name = '', first = '', ...deeper] = path.split('/')
  if (deeper.length === 0) return basename(first, '.ts')
  return ORDER[name]!.includes(first) ? first : 'an engine'
}

/** Every way from a file back to itself that following the imports finds. */
function circles(): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      found.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
      return
    }
    if (done.has(path)) return
    for (const { from, to } of imports) if (from === path) visit(to, [...trail, path])
    done.add(path)
  }
  for (const file of files) visit(file, [])
  return found
}
