// The built gateway, which the commands run from.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = resolve(import.meta.dirname, '..')

/**
 * Reads a module of the built gateway. A clone of the repository builds it first, if it is missing or older
 * than the sources; what the build says goes to stderr.
 *
 * @param name its path in lib/, such as `node/index`
 */
export async function built(name) {
  if (tooOld) {
    console.error(tooOld)
    process.exit(1)
  }
  bringUpToDate()
  return await import(pathToFileURL(join(root, 'lib', `${name}.js`)).href)
}

/** Builds lib/ if it is missing or older than the sources. */
export function bringUpToDate() {
  if (isOlder(join(root, 'lib/node/index.js'))) build()
}

function isRecent(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 16)
}

/** Said where Node is too old for the gateway. */
export const tooOld = isRecent(process.versions.node)
  ? undefined
  : `Tidegate needs Node 22.16 or newer, and this is ${process.versions.node}: update Node, from https://nodejs.org.`

/** Whether the sources are here, and newer than what was built of them. The package has none. */
function isOlder(path) {
  if (!existsSync(join(root, 'src'))) return false
  if (!existsSync(path)) return true
  const { mtimeMs } = statSync(path)
  const files = ['src', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((it) => join(folder, it)),
  )
  return [...files, 'package-lock.json'].some((it) => statSync(join(root, it)).mtimeMs > mtimeMs)
}

function build() {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/package.mjs')], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (status === 0) return
  console.error('The gateway cannot be built: see above. Fix that, then run this again.')
  process.exit(1)
}
