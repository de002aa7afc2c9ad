// Reads a secret where no list of processes and no history of a shell shows it.
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Failure } from './api.mjs'

const MAX_CHARS = 20_000

/** The option that names an environment variable with the connection string. */
export const urlEnv = {
  'url-env': {
    type: 'string',
    value: 'NAME',
    about: 'the environment variable that holds the connection string',
  },
}

/** Reads a connection string: from this environment variable, else from stdin, else from a prompt. */
export async function readUrl(variable) {
  if (variable !== undefined) {
    const url = process.env[variable]?.trim()
    if (url) return url
    throw new Failure(`The environment variable ${variable} is not set.`, 2)
  }
  const text = process.stdin.isTTY ? await prompt('Connection string: ') : await readAll()
  const url = text.trim()
  if (!url) throw new Failure('Give the connection string on stdin, or name it with --url-env.', 2)
  return url
}

/** Asks a person, without showing what they type. */
function prompt(question) {
  process.stderr.write(question)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  return new Promise((resolve, reject) => {
    lines.once('line', resolve)
    lines.once('SIGINT', () => reject(new Failure('Nothing was changed.', 130)))
    lines.once('close', () => resolve(''))
  }).finally(() => {
    lines.close()
    process.stderr.write('\n')
  })
}

async function readAll() {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk
    if (text.length > MAX_CHARS) throw new Failure('What came on stdin is too long.', 2)
  }
  return text
}
