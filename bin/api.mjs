// The admin API of a deployment, as its operator.
import { fileURLToPath } from 'node:url'
import { plain } from './table.mjs'
import { readVars } from './vars.mjs'

const HERE = 'http://127.0.0.1:8787'

/** How long an answer may take. A test of a database waits for the database. */
const MAX_WAIT_MS = 90_000

/** Something that went wrong, said in one sentence for the person at the terminal. */
export class Failure extends Error {
  /** @param {number} code the exit code: 1 if it failed, 2 if the command was not understood */
  constructor(message, code = 1) {
    super(message.split('\n').map(plain).join('\n'))
    this.code = code
  }
}

/**
 * Reaches the API at this URL, or at TIDEGATE_URL, or on this machine.
 * @returns a function for requests: its promise is of the answer's value
 */
export function apiAt(to = process.env.TIDEGATE_URL || HERE) {
  if (!/^https?:\/\//.test(to) || !URL.canParse(to)) {
    throw new Failure('A URL of Tidegate begins with https:// or http://.', 2)
  }
  const { origin, protocol, hostname } = new URL(to)
  const isHere = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
  if (protocol === 'http:' && !isHere) {
    throw new Failure(`The key is sent by https only, or to this machine: not to ${origin}.`, 2)
  }
  const authorization = `Bearer ${keyFor(isHere)}`

  /** Sends a request. `origin` is where to. */
  async function ask(method, path, body) {
    const answer = await fetch(origin + path, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: JSON.stringify(body),
      // The key is for this host alone.
      redirect: 'manual',
      signal: AbortSignal.timeout(MAX_WAIT_MS),
    }).catch((error) => {
      throw new Failure(unreachable(error, origin))
    })
    return await read(answer, origin)
  }
  return Object.assign(ask, { origin })
}

/** Every entry of a list, page after page. */
export async function listOf(ask, list, query = {}) {
  const entries = []
  let cursor
  do {
    const params = new URLSearchParams({ ...query, limit: '200', ...(cursor && { cursor }) })
    const page = await ask('GET', `/api/${list}?${params}`)
    entries.push(...page[list])
    cursor = page.next
  } while (cursor)
  return entries
}

/** The operator's key. That of this machine is not for others. */
function keyFor(isHere) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const key = process.env.TIDEGATE_KEY || (isHere && readVars(root).TIDEGATE_KEY)
  if (!key) {
    throw new Failure(
      isHere
        ? 'There is no key. Set TIDEGATE_KEY: `npx tidegate serve` shows the one that it made, and `npm start` writes one to .dev.vars.'
        : "Set TIDEGATE_KEY to the deployment's key. The one in .dev.vars is for this machine only.",
      2,
    )
  }
  // What fetch says of a wrong header repeats the header.
  if (!/^[!-~]+$/.test(key)) throw new Failure('TIDEGATE_KEY contains what no key contains.', 2)
  return key
}

/** The value of an answer. Throws the error in it, which is a sentence. */
async function read(answer, origin) {
  if (answer.status === 204) return undefined
  const text = await answer.text().catch(() => {
    throw new Failure(`The answer of ${origin} broke off. Try again.`)
  })
  const value = parsed(text)
  if (answer.ok && value !== undefined) return value
  const { error } = value ?? {}
  if (typeof error?.message === 'string') {
    const field = error.field && !error.message.includes(error.field) ? `${error.field}: ` : ''
    throw new Failure(field + error.message)
  }
  const moved = answer.headers.get('location')
  throw new Failure(
    moved
      ? `${origin} answers that it has moved. Name where it is with --to URL.`
      : `${origin} answers ${answer.status}, and not as Tidegate does. Check the URL.`,
  )
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Why a request got no answer. */
function unreachable(error, origin) {
  const { code } = error.cause?.errors?.[0] ?? error.cause ?? {}
  if (error.name === 'TimeoutError') return `${origin} does not answer.`
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET') {
    return `Nothing answers at ${origin}. Start it with \`npm start\`, or name another with --to URL or TIDEGATE_URL.`
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `There is no host ${new URL(origin).hostname}, or no network.`
  }
  if (/CERT|SIGNED|TLS|SSL/.test(code ?? '')) {
    return `The certificate of ${origin} is not trusted (${code}).`
  }
  return `${origin} cannot be reached${code ? ` (${code})` : ''}.`
}
