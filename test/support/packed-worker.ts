import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Packed, pack } from './packed.ts'
import { plainVars } from './spawned.ts'
import type { RunningWorker } from './worker.ts'

let packed: Promise<Packed> | undefined

/** The package, installed once for all tests of a file. */
export const packedOnce = (): Promise<Packed> => (packed ??= packOnce())

/**
 * Starts `tidegate serve` like a user would: from the tarball, in an empty folder, with these variables and
 * options.
 */
export async function startPackedWorker(
  variables: Record<string, string>,
  ...options: readonly string[]
): Promise<Omit<RunningWorker, 'd1'>> {
  const { project, home } = await packedOnce()
  const command = join(project, 'node_modules/.bin/tidegate')
  const child = spawn(process.execPath, [command, 'serve', '--port', '0', ...options], {
    cwd: project,
    env: plainVars({ HOME: home, ...variables }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const over = once(child, 'exit')
  const lines: string[] = []
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      lines.push(line)
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
      if (url) resolve(url)
    })
  }
  void over.then(() => reject(new Error(`It did not start:\n${lines.join('\n').slice(-2_000)}`)))
  return {
    url: await promise,
    logs: () => [...lines],
    env: async () => Promise.reject(new Error('Nobody reaches into the process of a package.')),
    async close(signal = 'SIGTERM') {
      child.kill(signal)
      await over
    },
  }
}

async function packOnce(): Promise<Packed> {
  const made = await pack()
  process.on('exit', () => rmSync(dirname(made.tarball), { recursive: true, force: true }))
  return made
}
