import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

/** The rooms that each room can import. The Worker's entry, src/index.ts, belongs to the door. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  door: ['console', 'auth', 'host-checks', 'registry', 'gateway', 'mcp', 'database', 'ground'],
  // Only types of the registry: the Console calls the API over HTTP.
  console: ['registry', 'ground'],
  'host-checks': ['ground'],
  auth: ['registry', 'mcp', 'ground'],
  registry: ['gateway', 'mcp', 'database', 'ground'],
  gateway: ['mcp', 'database', 'ground'],
  mcp: [],
  database: ['ground'],
  ground: [],
  examples: ['mcp', 'database'],
  // The Worker on Node: this room replaces the Workers platform.
  node: ['door', 'registry', 'gateway', 'mcp', 'database', 'ground'],
  // `npx tidegate`: no room imports it.
  command: ['node', 'host-checks', 'registry', 'gateway', 'mcp', 'database', 'ground'],
}

/** The files of the door that other rooms can import: the Worker, and what it serves. */
const DOORS = ['src/index.ts', 'src/door/deployment.ts']

/**
 * Side doors: the reader of a SQLite file is a separate process, which starts faster with few imports; a Worker
 * loads no code that only `node` uses; and the command uses parts of `node` that are not public.
 */
const SIDE_DOORS = [
  'src/database/sqlite/reader.ts',
  'src/database/on-node.ts',
  'src/node/command.ts',
]

/** The foundations: other projects can use them, so they import almost nothing. */
const FOUNDATIONS = ['mcp', 'database', 'ground']

/** A type that a file declares at its top level. */
const TYPE = /^(?:export )?(?:interface|type|(?:abstract )?class) (\w+)/gm

/** Names that the public modules `tidegate/mcp` and `tidegate/database` both have, each for its own type. */
const IN_TWO_LIBRARIES = ['Limits', 'Sessions']

/** Their only imports: packages, and the ground, which imports nothing. */
const BELOW = ['zod/mini', 'zod/v4/core', 'src/ground/index.ts']

/**
 * The folders and the top-level files of a room, in reading order: each imports only those above it. A
 * folder of database/ that is not named here is an engine.
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

// A statement begins at the margin. Any other "import" is a snippet in a string.
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

/** True if a file is in a folder of its room or engine, and not at its top level. */
const nested = (path: string) =>
  path.split('/').length > (divided.has(path.split('/', 3).join('/')) ? 4 : 3)

/** The engines that have folders inside. */
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
    // scripts/vendor.mjs makes the .mjs files: the libraries next to the drivers.
    const here = imports.filter(({ to }) => to.startsWith('src/') && !/\.(?:mjs|css)$/.test(to))
    expect(here.filter(({ to }) => !files.includes(to))).toEqual([])
  })

  test('has only the rooms in the drawing', () => {
    expect(files.filter((file) => !((room(file) ?? '') in ARROWS))).toEqual([])
  })

  test.each(FOUNDATIONS)('has the foundation %s, which imports almost nothing', (name) => {
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

  test('has a Console that imports only types from the registry', () => {
    const code =
      /^(?:import|export) (?!type\b)[^'"`;]*from '(?:\.\.\/)+registry\/|import\(\s*'(?:\.\.\/)+registry\//m
    const taken = crossings.filter(({ from }) => room(from) === 'console')
    expect(taken.length).toBeGreaterThan(0)
    expect(taken.filter(({ from }) => code.test(readFileSync(join(root, from), 'utf8')))).toEqual(
      [],
    )
  })

  test('has rooms that are imported only through their index', () => {
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

  test('has no files named utils or helpers', () => {
    expect(files.filter((path) => /(^|[/-])(utils?|helpers?)[/.-]/.test(path))).toEqual([])
  })

  test('has one declaration for the name of a type', () => {
    const sources = files.filter((path) => path.startsWith('src/'))
    const names = sources.flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(TYPE)].map(([, name]) => name!),
    )
    const twice = names.filter((name, index) => names.indexOf(name) !== index)
    expect(twice.sort()).toEqual(IN_TWO_LIBRARIES)
    expect(names.length).toBeGreaterThan(500)
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

/** The folder of a file in its room, or the name of a top-level file. */
function place(path: string): string {
  const [, name = '', first = '', ...deeper] = path.split('/')
  if (deeper.length === 0) return basename(first, '.ts')
  return ORDER[name]!.includes(first) ? first : 'an engine'
}

/** The circular imports. */
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
