// Checks out Tidegate at another commit, beside this one, for as long as the bench runs.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { start } from '../scripts/child.mjs'

const root = resolve(import.meta.dirname, '..')
const git = (...args) => execFileSync('git', args, { cwd: root, stdio: 'pipe' })

/**
 * Makes a working tree for a commit, with its packages and the modules that its build produces.
 * @returns its name and its path
 */
export async function checkedOut(ref) {
  const source = join(mkdtempSync(join(tmpdir(), 'tidegate-against-')), 'tree')
  process.on('exit', () => {
    if (existsSync(source)) git('worktree', 'remove', '--force', source)
    rmSync(join(source, '..'), { recursive: true, force: true })
  })
  try {
    git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`)
  } catch {
    console.error(`There is no commit ${ref} here.`)
    process.exit(1)
  }
  git('worktree', 'add', '--detach', source, ref)
  await install(ref, source)
  await makeLibraries(ref, source)
  return { ref, source }
}

/** Links the packages that are installed here, or installs the commit's own packages if they differ. */
async function install(ref, cwd) {
  const lock = (folder) => readFileSync(join(folder, 'package-lock.json'), 'utf8')
  const packages = join(cwd, 'node_modules')
  if (lock(cwd) !== lock(root)) {
    console.log(`Installing the packages of ${ref} …`)
    const npm = start('npm', ['ci', '--prefer-offline'], { cwd, stdio: 'inherit' })
    if ((await npm.over) === 0) return
    console.log(`The packages of ${ref} cannot be installed: it is measured with today's packages.`)
    rmSync(packages, { recursive: true, force: true })
  }
  symlinkSync(join(root, 'node_modules'), packages)
}

/** Bundles the libraries that the commit's drivers import. */
async function makeLibraries(ref, cwd) {
  if (!existsSync(join(cwd, 'scripts/vendor.mjs'))) return
  // The real script would install packages through the link, into the folder that is in use here.
  writeFileSync(join(cwd, 'scripts/install.mjs'), 'export const node = process.execPath\n')
  const made = start(process.execPath, ['scripts/vendor.mjs'], { cwd, stdio: 'inherit' })
  if ((await made.over) !== 0) console.log(`The libraries of ${ref} cannot be bundled.`)
}
