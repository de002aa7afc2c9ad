// Starts a server, and talks to it over stdin and stdout.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type JsonFields, objectIn } from '../../host-checks/index.ts'
import { CommandFailure, codeOf } from '../terminal/failure.ts'
import type { McpConnection } from './look.ts'

/** Long, because the first start with npx installs the package. */
const MAX_WAIT_MS = 90_000
const MAX_LINE = 8 * 1024 * 1024

/** Time for a server to end before it gets the next signal. */
const PATIENCE_MS = 2_000

/** The server started with this command. Its stderr is shown as it arrives. */
export function overStdio(command: string, args: readonly string[]): McpConnection {
  // Windows does not start a .cmd file, such as npx, without a shell.
  const [program, all] =
    process.platform === 'win32' ? ['cmd', ['/c', command, ...args]] : [command, args]
  const child = spawn(program, all, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<unknown, PromiseWithResolvers<JsonFields>>()
  let over: CommandFailure | undefined
  const end = (sentence: string) => {
    over ??= new CommandFailure(sentence)
    for (const { reject } of waiting.values()) reject(over)
    waiting.clear()
  }
  child.on('error', (error) => end(`It cannot be started (${codeOf(error)}).`))
  child.on('exit', (code, signal) =>
    end(`It ended (${signal ?? code}). If it is an old server, add --era legacy.`),
  )
  // The server can end before it has read everything.
  child.stdin.on('error', () => {})
  const write = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`)

  let begun = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (begun + chunk).split('\n')
    begun = lines.pop() ?? ''
    for (const line of lines) take(line)
    if (begun.length > MAX_LINE) {
      end('It sends a message that is too large.')
      child.kill('SIGKILL')
    }
  })

  function take(line: string): void {
    const message = objectIn(line)
    if (message?.method !== undefined && message.id !== undefined) {
      const { id, method } = message
      const error = { code: -32601, message: 'There is no such method here.' }
      write({ jsonrpc: '2.0', id, ...(method === 'ping' ? { result: {} } : { error }) })
    } else if (message?.result !== undefined || message?.error !== undefined) {
      waiting.get(message.id)?.resolve(message)
      waiting.delete(message.id)
    }
  }

  return {
    async request(message) {
      if (over) throw over
      const answer = Promise.withResolvers<JsonFields>()
      const late = new CommandFailure(`It did not respond within ${MAX_WAIT_MS / 1000} s.`)
      const timer = setTimeout(() => answer.reject(late), MAX_WAIT_MS)
      waiting.set(message.id, answer)
      write(message)
      return await answer.promise.finally(() => clearTimeout(timer))
    },
    async notify(message) {
      write(message)
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
      const ended = once(child, 'exit')
      child.stdin.end()
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        const patience = new AbortController()
        const isOver = await Promise.race([
          ended.then(() => true),
          sleep(PATIENCE_MS, false, { signal: patience.signal }).catch(() => false),
        ])
        patience.abort()
        if (isOver) return
        child.kill(signal)
      }
      await ended
    },
  }
}
