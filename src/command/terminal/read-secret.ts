// Reads a secret without exposing it in process lists or shell history.
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CommandFailure, Mistake } from './failure.ts'

const MAX_CHARS = 20_000

/** The option that names an environment variable with the connection string. */
export const urlEnv = {
  'url-env': {
    type: 'string',
    value: 'NAME',
    about: 'the environment variable that holds the connection string',
  },
} as const

/** Reads a connection string: from this environment variable, else from stdin, else from a prompt. */
export async function readUrl(variable?: string): Promise<string> {
  if (variable !== undefined) return readVariable(variable)
  const text = process.stdin.isTTY ? await prompt('Connection string: ') : await readAll()
  const url = text.trim()
  if (url) return url
  throw new Mistake('Pass the connection string on stdin, or name it with --url-env.')
}

/** The value of an environment variable. */
export function readVariable(name: string): string {
  const value = process.env[name]?.trim()
  if (value) return value
  throw new Mistake(`The environment variable ${name} is not set.`)
}

/** Prompts a person, without showing the input. */
function prompt(question: string): Promise<string> {
  process.stderr.write(question)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  return new Promise<string>((resolve, reject) => {
    lines.once('line', resolve)
    lines.once('SIGINT', () => reject(new CommandFailure('Nothing was changed.', 130)))
    lines.once('close', () => resolve(''))
  }).finally(() => {
    lines.close()
    process.stderr.write('\n')
  })
}

async function readAll(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk
    if (text.length > MAX_CHARS) throw new Mistake('The input on stdin is too long.')
  }
  return text
}
