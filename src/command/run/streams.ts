// Output streams: stdout is for protocol messages, and stderr for people.
import { inspect } from 'node:util'

/** The subject of a log line. */
interface LogSubject {
  readonly endpoint?: string | undefined
  readonly trace?: string | undefined
}

/** Maximum length of a line for a person. */
const MAX_CHARACTERS = 500

/** Passwords in URLs, and other secrets to hide. */
const PASSWORD = /(\/\/[^\s/@:]{0,200}:)[^\s/@]{1,500}@/g
let secrets: readonly string[] = []

/** Keeps these strings out of all output. */
export function hide(texts: readonly string[]): void {
  secrets = texts.filter((it) => it.length > 3).toSorted((a, b) => b.length - a.length)
}

/** Prints a message on stderr, as one line. */
export const say = (text: string): void => show(`tidegate: ${inOneLine(text)}`)

function inOneLine(text: string): string {
  let line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
  for (const secret of secrets) line = line.replaceAll(secret, '…')
  return line.trim().slice(0, MAX_CHARACTERS)
}

/** The subject of a log line. Undefined when lines are for a person rather than for a log. */
let aboutNow: (() => LogSubject) | undefined

/** Turns later output into log lines with a time, a level and a subject: `time=… level=error endpoint=shop …`. */
export function logLines(about: () => LogSubject): void {
  aboutNow = about
}

/** Log levels, by console method. */
const LEVELS = {
  ...{ debug: 'debug', error: 'error', info: 'info' },
  ...{ log: 'info', trace: 'debug', warn: 'warn' },
} as const

function log(level: string, text: string, { endpoint, trace }: LogSubject): void {
  const about = [endpoint && `endpoint=${endpoint}`, trace && `trace=${trace}`].filter(Boolean)
  const head = [`time=${new Date().toISOString()}`, `level=${level}`, ...about].join(' ')
  show(`${head} message=${JSON.stringify(inOneLine(text))}`)
}

/** Prints a line on stderr unchanged. */
export const show = (line: string): void => void write.stderr(`${line}\n`)

const write = {
  stdout: process.stdout.write.bind(process.stdout),
  stderr: process.stderr.write.bind(process.stderr),
}

/** The stdout of a process that serves a pipe. */
export interface Output {
  /** Takes a line, and resolves when there is room for another. */
  write(line: string): Promise<void> | undefined
  /** Resolves when all lines have been written. */
  written(): Promise<void>
}

/**
 * Redirects everything written to stdout and to the console to stderr. Only the returned functions write to
 * stdout. Node's warnings about experimental features are dropped.
 */
export function ownStdout(): Output {
  const { stdout } = process
  stdout.write = process.stderr.write = (piece: string | Uint8Array, ...more: unknown[]) => {
    const text = typeof piece === 'string' ? piece : Buffer.from(piece).toString()
    if (text.trim()) quote('info', text)
    more.findLast((it): it is () => void => typeof it === 'function')?.()
    return true
  }
  for (const [name, level] of Object.entries(LEVELS)) {
    console[name as keyof typeof LEVELS] = (...parts: unknown[]) =>
      quote(level, parts.map(shortly).join(' '))
  }
  process.removeAllListeners('warning')
  process.on('warning', (it) => it.name === 'ExperimentalWarning' || console.warn(it))
  // A connection that breaks in the background must not end the process, nor must a client that reads no logs.
  process.on('uncaughtException', (error) => console.error(error))
  process.stderr.on('error', () => {})
  const room = new Set<() => void>()
  const release = () => {
    for (const resolve of room) resolve()
    room.clear()
  }
  stdout.on('drain', release).on('close', release).on('error', release)
  return {
    write(line) {
      if (stdout.destroyed || write.stdout(line)) return undefined
      return new Promise((resolve) => room.add(resolve))
    },
    written: () =>
      new Promise((resolve) => (stdout.destroyed ? resolve() : write.stdout('', () => resolve()))),
  }
}

/** Prints text from other code. */
function quote(level: string, text: string): void {
  const hidden = text.replaceAll(PASSWORD, '$1…@')
  if (aboutNow) log(level, hidden, aboutNow())
  else say(hidden)
}

/** An error without its stack. */
const shortly = (it: unknown): string =>
  typeof it === 'string' ? it : it instanceof Error ? `${it.name}: ${it.message}` : inspect(it)
