// Starts a server, and asks it over stdin and stdout.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../api.mjs'

/** The first start by npx installs. */
const MAX_WAIT_MS = 90_000
const MAX_LINE = 8 * 1024 * 1024

/** How long a server may take to end, before it is told again. */
const PATIENCE_MS = 2_000

/** The server that this command starts. What it says on stderr is shown as it comes. */
export function overStdio([command, ...args]) {
  // Windows starts no .cmd file, such as npx, without a shell.
  const [program, ...all] =
    process.platform === 'win32' ? ['cmd', '/c', command, ...args] : [command, ...args]
  const child = spawn(program, all, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map()
  let over
  const end = (sentence) => {
    over ??= new Failure(sentence)
    for (const { reject } of waiting.values()) reject(over)
    waiting.clear()
  }
  child.on('error', ({ code }) => end(`It cannot be started (${code}).`))
  child.on('exit', (code, signal) =>
    end(`It has ended (${signal ?? code}). If it is an old one, add --era legacy.`),
  )
  // It may end before it has read everything.
  child.stdin.on('error', () => {})
  const write = (message) => child.stdin.write(`${JSON.stringify(message)}\n`)

  let begun = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (begun + chunk).split('\n')
    begun = lines.pop()
    for (const line of lines) take(line)
    if (begun.length > MAX_LINE) {
      end('It sends a message that is too large.')
      child.kill('SIGKILL')
    }
  })

  function take(line) {
    const message = parsed(line)
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
    request(message) {
      return new Promise((resolve, reject) => {
        if (over) return reject(over)
        const timer = setTimeout(
          () => reject(new Failure(`It gives no answer within ${MAX_WAIT_MS / 1000} s.`)),
          MAX_WAIT_MS,
        )
        const done = (settle) => (value) => {
          clearTimeout(timer)
          settle(value)
        }
        waiting.set(message.id, { resolve: done(resolve), reject: done(reject) })
        write(message)
      })
    },
    async notify(message) {
      write(message)
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
      const ended = once(child, 'exit')
      child.stdin.end()
      for (const signal of ['SIGTERM', 'SIGKILL']) {
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

function parsed(line) {
  try {
    const value = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
