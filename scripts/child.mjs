// Starts a program that ends when this process ends, along with all processes that it started.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

// On systems with signals, the program leads its own process group, which a single signal ends.
const GROUPS = process.platform !== 'win32'

/** Default time for a program to end before it is killed. */
const GRACE_MS = 600

/**
 * Starts a program. It ends on Ctrl-C, on SIGTERM, if the terminal closes, and if npm dies.
 * @returns the child, with `over`, a promise of its exit code (undefined if we ended it), and `end()`
 */
export function start(command, args, { graceMs = GRACE_MS, ...options }) {
  const child = spawn(command, args, { ...options, detached: GROUPS })
  let ending = false
  const end = () => {
    if (ending) return
    ending = true
    kill(child, 'SIGTERM')
    setTimeout(() => kill(child, 'SIGKILL'), graceMs)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end)
  if (process.env.npm_lifecycle_event) whenNpmDies(end)
  process.on('exit', () => kill(child, 'SIGKILL'))

  const over = new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      kill(child, 'SIGKILL') // what is left of its group
      resolve(ending ? undefined : (code ?? 1))
    })
  })
  return Object.assign(child, { over, end })
}

/** npm runs a script through a shell. A script is not notified when either of them is killed. */
function whenNpmDies(act) {
  const parent = process.ppid
  const npm = parentOfShell(parent)
  const alive = () => process.ppid === parent && parentOfShell(parent) === npm
  setInterval(() => alive() || act(), 200).unref()
}

/** The parent of a shell; undefined for a program, and on systems other than Linux. */
function parentOfShell(pid) {
  const path = `/proc/${pid}/stat`
  return existsSync(path)
    ? /^\d+ \((?:sh|dash|bash)\) \S (\d+)/.exec(readFileSync(path, 'utf8'))?.[1]
    : undefined
}

function kill(child, signal) {
  try {
    if (GROUPS) process.kill(-child.pid, signal)
    else if (child.exitCode === null) spawnSync('taskkill', ['/pid', child.pid, '/t', '/f'])
  } catch {
    // The process has already ended.
  }
}
