import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { engines } from '../src/database/engines.ts'

const root = join(import.meta.dirname, '..')

/** Names of programs, which are not in the list of engines. */
const MORE = ['pgsql', 'psql']

/** Names of Cloudflare's bindings and of the demo, and a plain word. */
const PLATFORM = ['demo', 'd1', 'hyperdrive', 'file']

/** Places that are allowed to name an engine, each with its reason. */
const ALLOWED: readonly (readonly [place: RegExp, why: string])[] = [
  [/^src\/database\/engines\.ts$/, 'it is the list of engines'],
  [
    /^src\/database\/transport\/hosts\.ts$/,
    'it reads a URL before the code of its engine is loaded',
  ],
  [/^src\/database\/iam\//, 'Amazon and Google host two engines, and tell them apart'],
  [/^src\/database\/(?:machine|index)\.ts$|^src\/node\//, 'Node has SQLite, for state and files'],
  [/^src\/console\/setup-steps\.ts$/, 'it shows commands to copy, with a URL in them'],
  [/^src\/command\//, 'its help shows URLs, and it opens files of SQLite'],
]

const list = readFileSync(join(root, 'src/database/engines.ts'), 'utf8')

/** The folders of engines. */
const HOMES = [...list.matchAll(/import\('\.\/(\w+)\/index\.ts'\)/g)].map(
  ([, name]) => `src/database/${name}/`,
)

const names = engines
  .flatMap(({ title, schemes }) => [
    title,
    ...Object.entries(schemes).flatMap(([scheme, it]) => [scheme, it.title ?? scheme]),
  ])
  .concat(MORE)
  .map((it) => it.toLowerCase())
  .filter((it) => !PLATFORM.includes(it))

/** The lines of code that name an engine. Comments are allowed to, because they explain one engine. */
const linesWithNames = (text: string) =>
  text
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
    .map((line) => line.replace(/\s\/\/ .*$/, '').trim())
    .filter((line) => {
      // Durable Objects use SQLite's schema tables too.
      const words = line.toLowerCase().replace(/sqlite_(?:master|schema)/g, '')
      return names.some((it) =>
        it.length > 4 ? words.includes(it) : words.split(/[^a-z\d]+/).includes(it),
      )
    })

const found = globSync('src/**/*.{ts,tsx}', { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !HOMES.some((home) => path.startsWith(home)))
  .map((path) => [path, linesWithNames(readFileSync(join(root, path), 'utf8'))] as const)
  .filter(([, lines]) => lines.length > 0)

test('only an engine’s own folder names it in code', () => {
  const others = found.filter(([path]) => !ALLOWED.some(([place]) => place.test(path)))
  expect(Object.fromEntries(others)).toEqual({})
  expect(HOMES.length).toBeGreaterThan(5)
})

test('each exception names an engine', () => {
  const idle = ALLOWED.filter(([place]) => !found.some(([path]) => place.test(path)))
  expect(idle).toEqual([])
})
