// Checks out Tidegate at another commit, beside this one, for as long as the bench runs.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const git = (...args) => execFileSync('git', args, { cwd: root, stdio: 'pipe' })

/** Gives back the path of a working tree at a commit, with the packages that are installed here. */
export function checkedOut(ref) {
  const place = join(mkdtempSync(join(tmpdir(), 'tidegate-against-')), 'tree')
  git('worktree', 'add', '--detach', place, ref)
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'))
  process.on('exit', () => {
    git('worktree', 'remove', '--force', place)
    rmSync(join(place, '..'), { recursive: true, force: true })
  })
  return place
}
