import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { LEGACY, MODERN, meta } from './mcp.ts'

export const program = resolve('bin/tidegate.mjs')

/** Variables that every program needs, without any of ours. */
export const plainVars = (more: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  ...more,
})

// biome-ignore lint/suspicious/noExplicitAny: tests read messages of every shape
type Said = any

/** The command as a process, with its pipes. */
export interface Spawned {
  readonly child: ChildProcess
  /** All messages on stdout. A line that is not a message is an error. */
  readonly said: Said[]
  /** All of stderr. */
  logs(): string
  /** Writes a message. */
  send(message: object): void
  /** Waits for a message. Rejects if the process ends first. */
  heard(is: (message: Said) => boolean): Promise<Said>
  /** Sends a request in one of the eras, and waits for its answer. */
  ask(method: string, params?: object, version?: string): Promise<Said>
  /** Opens a session of the legacy era. */
  initialize(version?: string): Promise<Said>
  /** Closes its input. */
  end(): void
  /** Its exit code and signal. */
  readonly over: Promise<[number | null, NodeJS.Signals | null]>
}

/** Runs `npx tidegate` with these arguments and variables. */
export function spawned(
  args: readonly string[],
  vars: Record<string, string> = {},
  cwd?: string,
): Spawned {
  const child = spawn(process.execPath, [program, ...args], { env: plainVars(vars), cwd })
  const said: Said[] = []
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const it of waiting) it()
    waiting.clear()
  }
  let logs = ''
  let isOver = false
  child.stderr.on('data', (piece) => {
    logs += piece
    wake()
  })
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(JSON.parse(line))
    wake()
  })
  const over = once(child, 'close').then((ended) => {
    isOver = true
    wake()
    return ended as [number | null, NodeJS.Signals | null]
  })
  let id = 0
  const send = (message: object) =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  async function heard(is: (message: Said) => boolean) {
    for (;;) {
      const found = said.find(is)
      if (found) return found
      if (isOver) throw new Error(`It ended before it said so. It logged: ${logs}`)
      await new Promise<void>((resolve) => waiting.add(resolve))
    }
  }
  async function ask(method: string, params: object = {}, version: string = MODERN) {
    const own = ++id
    const _meta = version === MODERN && { _meta: meta() }
    send({ id: own, method, params: { ...params, ..._meta } })
    return heard((it) => it.id === own)
  }
  return {
    ...{ child, said, send, heard, ask, over },
    logs: () => logs,
    async initialize(version: string = LEGACY.at(-1)!) {
      const clientInfo = { name: 'test', version: '1' }
      const params = { protocolVersion: version, capabilities: {}, clientInfo }
      const answer = await ask('initialize', params, version)
      send({ method: 'notifications/initialized' })
      return answer
    },
    end: () => child.stdin.end(),
  }
}
