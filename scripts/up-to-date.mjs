// Builds lib/ when the sources are newer. Plain JavaScript, because it runs before the build, with any Node.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** Builds lib/ if it is missing or older than the sources. Build output goes to stderr. */
export function bringUpToDate() {
  if (!isOutdated()) return
  // The build contains no secrets, so all users can read it.
  const before = process.umask(0o022)
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/package.mjs')], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  process.umask(before)
  if (status === 0) return
  console.error('The gateway cannot be built: see above. Fix the problem, then run this again.')
  process.exit(1)
}

/** True if lib/ is missing or older than the sources. */
export function isOutdated() {
  const built = join(root, 'lib/command/main.js')
  if (!existsSync(join(root, 'src'))) return false
  if (!existsSync(built)) return true
  const { mtimeMs } = statSync(built)
  const files = ['src', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((it) => join(folder, it)),
  )
  return [...files, 'package-lock.json'].some((it) => statSync(join(root, it)).mtimeMs > mtimeMs)
}
