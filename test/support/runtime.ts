import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { onNode } from './node-worker.ts'

/** True if this machine reports the memory and sockets of its processes. */
export const tellsOfProcesses = existsSync('/proc/self/net/tcp')

/** Connections of the Workers runtimes under this process to a port of this machine. */
export function connectionsTo(port: number): number {
  const to = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  // Local and remote address, state, …, inode. A connection in TIME_WAIT (06) counts as closed.
  const inodes = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/self/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , remote, state]) => remote?.endsWith(to) && state !== '06')
      .map((fields) => `socket:[${fields[9]}]`),
  )
  const held = new Set(runtimes().flatMap(filesOf))
  return inodes.filter((it) => held.has(it)).length
}

/** Megabytes of memory of the Workers runtimes under this process. */
export const memory = (): number => megabytes(/^VmRSS:\s+(\d+)/m)

/** The maximum of it since {@link forgetPeak}. */
export const peakMemory = (): number => megabytes(/^VmHWM:\s+(\d+)/m)

/** Resets the peak that the kernel measures. */
export function forgetPeak(): void {
  for (const pid of runtimes()) writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

function megabytes(field: RegExp): number {
  const kilobytes = runtimes().map((pid) => Number(field.exec(statusOf(pid))?.[1] ?? 0))
  return kilobytes.reduce((sum, it) => sum + it, 0) / 1024
}

/** The process ids of the runtimes that this process has started, directly or indirectly. */
function runtimes(): string[] {
  const pids = readdirSync('/proc').filter((it) => /^\d+$/.test(it))
  const parents = new Map(pids.map((pid) => [pid, /^PPid:\s+(\d+)/m.exec(statusOf(pid))?.[1]]))
  const isOurs = (pid: string | undefined): boolean =>
    pid !== undefined && (pid === String(process.pid) || isOurs(parents.get(pid)))
  return pids.filter((pid) => isRuntime(pid) && isOurs(pid))
}

/** True if a Worker runs in a process. */
const isRuntime = (pid: string): boolean =>
  onNode
    ? /node-child\.mjs|tidegate\.mjs/.test(textOf(`/proc/${pid}/cmdline`))
    : /^Name:\s+workerd/.test(statusOf(pid))

const statusOf = (pid: string) => textOf(`/proc/${pid}/status`)

/** The text of a file of a process; empty if the process has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function filesOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
  } catch {
    // The process has ended, or has closed a file meanwhile.
    return []
  }
}
