import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
// @ts-expect-error: plain JavaScript
import { bringUpToDate } from '../../scripts/up-to-date.mjs'

const run = promisify(execFile)

/** The published package, and a user's project that has it installed. */
export interface Packed {
  /** The tarball. */
  readonly tarball: string
  /** Paths of the files in it. */
  readonly files: readonly string[]
  /** A project with an empty home, where the package is installed. */
  readonly project: string
  readonly home: string
  /** Writes a file of the project. */
  write(path: string, text: string): void
  /** Runs a program in the project, and returns its stdout. */
  run(program: string, args: readonly string[]): Promise<string>
}

/** Packs this repository, and installs it in an empty folder. */
export async function pack(): Promise<Packed> {
  const folder = mkdtempSync(join(tmpdir(), 'packed-'))
  const [project, home] = [join(folder, 'project'), join(folder, 'home')]
  for (const it of [project, home]) mkdirSync(it)
  // Keeps the variables, because they may name a proxy for the registry.
  const env = { ...process.env, HOME: home, USERPROFILE: home }
  const within = async (program: string, args: readonly string[], cwd = project) =>
    (await run(program, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 })).stdout
  // All tests share the build that npm would run first.
  bringUpToDate()
  const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const packed = JSON.parse(await within('npm', packing, resolve('.')))
  // npm 12 has an object where older versions have a list.
  const [{ filename, files }] = Object.values(packed) as [
    { filename: string; files: { path: string }[] },
  ]
  const tarball = join(folder, filename)
  const write = (path: string, text: string) => {
    mkdirSync(join(project, path, '..'), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  write('package.json', JSON.stringify({ name: 'stranger', private: true, type: 'module' }))
  await within('npm', ['install', '--no-audit', '--no-fund', tarball])
  return { tarball, files: files.map(({ path }) => path), project, home, write, run: within }
}

/** The code blocks in this language on a page in docs/. */
export const blocksOf = (page: string, lang: string): string[] =>
  [...readFileSync(resolve('docs', page), 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(
    ([, it, code = '']) => (it === lang ? [code] : []),
  )
