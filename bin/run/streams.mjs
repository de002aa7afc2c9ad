// What is written where: stdout is for messages of the protocol, and stderr for people.
import { inspect } from 'node:util'

/** A line for a person. */
const MAX_CHARACTERS = 500

/** What stands for a password in a URL, and what was told to be secret. */
const PASSWORD = /(\/\/[^\s/@:]{0,200}:)[^\s/@]{1,500}@/g
let secrets = []

/** Never says these texts. */
export function hide(texts) {
  secrets = texts.filter((it) => it.length > 3).toSorted((a, b) => b.length - a.length)
}

/** Says a sentence on stderr, in one line. */
export function say(text) {
  let line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
  for (const secret of secrets) line = line.replaceAll(secret, '…')
  show(`tidegate: ${line.trim().slice(0, MAX_CHARACTERS)}`)
}

/** Shows a line on stderr as it is. */
export const show = (line) => void write.stderr(`${line}\n`)

const write = {
  stdout: process.stdout.write.bind(process.stdout),
  stderr: process.stderr.write.bind(process.stderr),
}

/**
 * Leads everything that is written to stdout, and to the console, to stderr: only what is returned here
 * writes to stdout. What Node says of features that may change is for nobody.
 *
 * @returns `write` takes a line, and resolves when there is room for another; `written` resolves when all
 *   lines are out.
 */
export function ownStdout() {
  const { stdout } = process
  stdout.write = process.stderr.write = (piece, ...more) => {
    const text = typeof piece === 'string' ? piece : Buffer.from(piece).toString()
    if (text.trim()) quote(text)
    more.findLast((it) => typeof it === 'function')?.()
    return true
  }
  for (const name of ['debug', 'error', 'info', 'log', 'trace', 'warn']) {
    console[name] = (...parts) => quote(parts.map(shortly).join(' '))
  }
  process.removeAllListeners('warning')
  process.on('warning', (it) => it.name === 'ExperimentalWarning' || console.warn(it))
  // A connection that breaks while nobody waits for it is no reason to end, nor is a client without an ear for logs.
  process.on('uncaughtException', (error) => console.error(error))
  process.stderr.on('error', () => {})
  const room = new Set()
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
      new Promise((resolve) => (stdout.destroyed ? resolve() : write.stdout('', resolve))),
  }
}

/** Says what somebody else wrote. */
const quote = (text) => say(text.replaceAll(PASSWORD, '$1…@'))

/** An error without its stack. */
const shortly = (it) =>
  typeof it === 'string' ? it : it instanceof Error ? `${it.name}: ${it.message}` : inspect(it)
