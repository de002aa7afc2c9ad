import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
// @ts-expect-error: plain JavaScript
import { forNode } from '../../scripts/bundling.mjs'
import type { Order } from './node-child.ts'

/** True if the suites run against the command over stdio. */
export const onStdio = process.env.TIDEGATE_PLATFORM === 'stdio'

/** True if the suites run against `tidegate serve` from the npm tarball. */
export const onPackage = process.env.TIDEGATE_PLATFORM === 'package'

/** True if the suites run against the gateway on Node, and not in a Worker. */
export const onNode = process.env.TIDEGATE_PLATFORM === 'node' || onStdio || onPackage

/** True on Node, where something is left out. Logs the reason in that case. */
export function leftOutOnNode(why: string): boolean {
  if (onNode) console.warn(`Skipped on Node: ${why}`)
  return onNode
}

/** A Worker in a Node process. */
export interface NodeWorker {
  readonly url: string
  readonly pid: number
  logs(): string[]
  /** Its object namespaces. */
  env(): Promise<Cloudflare.Env>
  /** Stops it like a host, or with another signal. SIGKILL is like a loss of power. */
  close(signal?: NodeJS.Signals): Promise<void>
}

const folder = mkdtempSync(join(tmpdir(), 'tidegate-node-'))
const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const built = new Map<string, Promise<string>>()

/** Starts the Worker of a module with these variables. The default is the gateway. */
export async function startNodeWorker(
  variables: Record<string, string>,
  entry = 'src/index.ts',
  state?: string,
): Promise<NodeWorker> {
  const path = resolve(import.meta.dirname, '../..', entry)
  const program = built.get(path) ?? buildChild(path, join(folder, String(built.size)))
  built.set(path, program)
  const child = fork(await program, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
    execArgv: ['--enable-source-maps'],
  })
  children.add(child)
  const over = once(child, 'exit').finally(() => children.delete(child))
  const lines: string[] = []
  for (const input of [child.stdout!, child.stderr!]) {
    createInterface({ input }).on('line', (line) => lines.push(line))
  }
  child.send({ ...variables, ...(state && { state }) })
  const failed = over.then(() => {
    throw new Error(`The Worker on Node did not start:\n${lines.join('\n').slice(-2_000)}`)
  })
  const [{ url }] = (await Promise.race([once(child, 'message'), failed])) as [{ url: string }]
  failed.catch(() => {})
  return {
    url,
    pid: child.pid!,
    logs: () => [...lines],
    env: async () => envOf(child),
    async close(signal = 'SIGTERM') {
      child.kill(signal)
      await over
    },
  }
}

async function buildChild(target: string, outdir: string): Promise<string> {
  await build({
    ...forNode,
    alias: {
      'cloudflare:workers': resolve(import.meta.dirname, 'node-workers.ts'),
      'test:target': target,
    },
    entryPoints: [
      { in: resolve(import.meta.dirname, 'node-child.ts'), out: 'node/node-child' },
      {
        in: resolve(import.meta.dirname, '../../src/node/sqlite-child.ts'),
        out: 'node/sqlite-child',
      },
    ],
    outExtension: { '.js': '.mjs' },
    // The gateway starts the child by its name, so shared modules go to another folder.
    chunkNames: 'modules/[name]-[hash]',
    sourcemap: 'linked',
    outdir,
  })
  return join(outdir, 'node/node-child.mjs')
}

let count = 0

/** Namespaces of the objects in the process, with their methods but without `fetch`. */
function envOf(child: ChildProcess): Cloudflare.Env {
  const ask = async (order: Order): Promise<unknown> => {
    const id = ++count
    const { promise, resolve } = Promise.withResolvers<{ answer?: unknown; error?: string }>()
    const take = (said: { id?: number; answer?: unknown; error?: string }) =>
      said.id === id && resolve(said)
    child.on('message', take)
    child.send({ id, ...order })
    const { answer, error } = await promise.finally(() => child.off('message', take))
    if (error !== undefined) throw new Error(error)
    return answer
  }
  const object = (kind: string, name: string) =>
    new Proxy(
      {},
      {
        get: (_, method) =>
          method === 'then'
            ? undefined
            : (...args: unknown[]) => ask({ kind, name, method: String(method), args }),
      },
    )
  const namespace = (kind: string) => ({
    idFromName: (name: string) => name,
    get: (name: string) => object(kind, name),
  })
  return new Proxy(
    {},
    { get: (_, kind) => (kind === 'then' ? undefined : namespace(String(kind))) },
  ) as never
}
