import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** True if the system lists its processes. */
export const isListed = process.platform === 'linux'

/** The child processes of this process, or of another one, that read SQLite files. */
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

/** The CPU time of a process, in hundredths of a second. */
const worked = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[11])

/** The reader processes, once one of them works on a statement, which takes more time than starting. */
export async function working(parent = process.pid): Promise<number[]> {
  const before = new Map(readers(parent).map((pid) => [pid, worked(pid)]))
  for (let tries = 0; tries < 1_200; tries++) {
    const all = readers(parent)
    if (all.some((pid) => worked(pid) - (before.get(pid) ?? 0) > 30)) return all
    await setTimeout(25)
  }
  throw new Error('No process that reads works on anything.')
}

/** True if all of them end within ten seconds. */
export async function gone(pids: readonly number[]): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    if (!pids.some(isAlive)) return true
    await setTimeout(50)
  }
  return false
}
