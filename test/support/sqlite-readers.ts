import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** Whether the system lists its processes. */
export const isListed = process.platform === 'linux'

/** The processes of this one, or of another, that read SQLite files. */
export function readers(parent = process.pid): number[] {
  return readdirSync('/proc')
    .filter((it) => /^\d+$/.test(it))
    .map(Number)
    .filter((pid) => {
      try {
        const of = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8')
        return of('cmdline').includes('sqlite-child') && of('status').includes(`PPid:\t${parent}\n`)
      } catch {
        return false
      }
    })
}

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !/\bZ\b/.test(readFileSync(`/proc/${pid}/stat`, 'utf8').split(')').at(-1)!)
  } catch {
    return false
  }
}

/** Hundredths of a second that a process has worked. */
const worked = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[11])

/** The processes that read, once one of them works on something: starting takes less than that. */
export async function working(parent = process.pid): Promise<number[]> {
  const before = new Map(readers(parent).map((pid) => [pid, worked(pid)]))
  for (let tries = 0; tries < 1_200; tries++) {
    const all = readers(parent)
    if (all.some((pid) => worked(pid) - (before.get(pid) ?? 0) > 30)) return all
    await setTimeout(25)
  }
  throw new Error('No process that reads works on anything.')
}

/** Whether all of them end, within ten seconds. */
export async function gone(pids: readonly number[]): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    if (!pids.some(isAlive)) return true
    await setTimeout(50)
  }
  return false
}
