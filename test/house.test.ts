import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

/** Who may import whom. The door is the files of src/ itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  door: ['console', 'auth', 'registry', 'gateway', 'mcp', 'database'],
  console: [],
  auth: ['registry', 'mcp'],
  registry: ['gateway', 'mcp', 'database'],
  gateway: ['mcp', 'database'],
  mcp: [],
  database: [],
  examples: ['mcp', 'database'],
  // The Worker on a machine of one's own: it takes the place of the platform.
  node: ['door', 'registry', 'gateway', 'mcp', 'database'],
}

/** What others may import of the door: the Worker, and what it serves. */
const DOORS = ['src/index.ts', 'src/deployment.ts']

/** A side door of the database: what it is for is a process of its own, and starts faster with little. */
const SIDE_DOOR = 'src/database/sqlite/reader.ts'

/** The foundations: other projects can stand on them, so they stand on next to nothing. */
const FOUNDATIONS = ['mcp', 'database']

/** The packages they stand on. */
const PACKAGES = ['zod/mini', 'zod/v4/core']

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
    ...['words', 'finite', 'kept', 'error', 'sessions', 'catalog-use'],
    ...['rows', 'machine', 'role', 'rules', 'dialect', 'database'],
    ...['guard', 'transport', 'certificate', 'iam', 'schema', 'statements', 'an engine', 'doctor'],
    ...['engines', 'open', 'connection-string', 'questions', 'index'],
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

const say = ({ from, to }: Import) => `${from} imports ${to}`

describe('the house', () => {
  test('is read at all', () => {
    expect(imports.length).toBeGreaterThan(files.length / 2)
    // What ends in .mjs is made by scripts/vendor.mjs: the libraries beside the drivers.
    const here = imports.filter(({ to }) => to.startsWith('src/') && !/\.(?:mjs|css)$/.test(to))
    expect(here.filter(({ to }) => !files.includes(to))).toEqual([])
  })

  test('has only the rooms that are drawn', () => {
    expect(files.filter((file) => !((room(file) ?? '') in ARROWS))).toEqual([])
  })

  test.each(FOUNDATIONS)('stands on %s, which stands on next to nothing', (name) => {
    const outside = imports.filter(({ from, to }) => room(from) === name && room(to) !== name)
    expect(outside.filter(({ to }) => !PACKAGES.includes(to)).map(say)).toEqual([])
  })

  const crossings = imports.filter(({ from, to }) => room(to) && room(from) !== room(to))

  test('has arrows that point down', () => {
    const upward = crossings.filter(
      ({ from, to }) => !ARROWS[room(from) ?? '']?.includes(room(to) ?? ''),
    )
    expect(upward.map(say)).toEqual([])
  })

  test('has rooms that are entered through their index', () => {
    const entered = ({ to }: Import) =>
      room(to) === 'door'
        ? DOORS.includes(to)
        : [`src/${room(to)}/index.ts`, SIDE_DOOR].includes(to)
    expect(crossings.filter((it) => !entered(it)).map(say)).toEqual([])
  })

  test('has sections of the Console that know nothing of each other', () => {
    const sectionOf = (path: string) => /^src\/console\/(\w+)\//.exec(path)?.[1]
    const shared = ['parts', 'pages', 'stages']
    const across = imports.filter(({ from, to }) => {
      const [section, other] = [sectionOf(from), sectionOf(to)]
      return section && other && section !== other && !shared.includes(other)
    })
    expect(across.map(say)).toEqual([])
    expect(imports.filter(({ from }) => sectionOf(from)).length).toBeGreaterThan(50)
  })

  test('has no file that needs itself, by however long a way', () => {
    expect(circles()).toEqual([])
  })

  test('has no drawer for odds and ends', () => {
    expect(files.filter((path) => /(^|[/-])(utils?|helpers?)[/.-]/.test(path))).toEqual([])
  })
})

describe.each(Object.keys(ORDER))('the room %s/', (name) => {
  const order = ORDER[name]!
  const within = imports.filter(({ from, to }) => room(from) === name && room(to) === name)

  test('has a place for every folder and every file', () => {
    const places = files.filter((path) => room(path) === name).map(place)
    expect(order.filter((it) => !places.includes(it))).toEqual([])
    expect(places.filter((it) => !order.includes(it))).toEqual([])
  })

  test('lets each folder need only those above it', () => {
    const upward = within.filter(
      ({ from, to }) => order.indexOf(place(to)) > order.indexOf(place(from)),
    )
    expect(upward.map(say)).toEqual([])
  })

  test('has no two folders that need each other', () => {
    const pairs = new Set(within.map(({ from, to }) => `${dirname(from)} ${dirname(to)}`))
    const both = within.filter(({ from, to }) => {
      return dirname(from) !== dirname(to) && pairs.has(`${dirname(to)} ${dirname(from)}`)
    })
    // What lies loose is ordered by file.
    const loose = (path: string) => dirname(path) === `src/${name}`
    expect(both.filter(({ from, to }) => !loose(from) && !loose(to)).map(say)).toEqual([])
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
