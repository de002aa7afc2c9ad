// A current ClickHouse in its own process: the engine of npm's `chdb` behind the parts of ClickHouse's
// HTTP interface that clients use. Its arguments are a folder for the data and the users as JSON. It prints
// its port.
//
// Differences from a server: every user has the name and the rights of `default`, a profile has only
// settings, and there are no query logs.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** The exports of chdb that are used here. */
interface Chdb {
  readonly Session: new (folder: string) => Session
}

interface Session {
  queryAsync(sql: string, options: { format: string }): Promise<{ bytes(): Uint8Array }>
  queryStream(sql: string, options: { format: string }): AsyncIterable<{ raw(): Uint8Array }>
  close(): void
}

interface User {
  readonly password: string
  readonly settings: Readonly<Record<string, string>>
}

const [folder = '', said = '{}'] = process.argv.slice(2)
const users: Readonly<Record<string, User>> = JSON.parse(said)

const programs = join(import.meta.dirname, '../database/clickhouse/programs/package.json')
const { Session } = createRequire(programs)('chdb') as Chdb

/** The engine stays alive while it has an open session. */
const first = new Session(folder)

/** The values that a server has for settings that chdb changes. */
const AS_SERVER = {
  allow_introspection_functions: '0',
  implicit_select: '0',
  serialize_query_plan: '0',
  output_format_arrow_use_native_writer: '1',
}

/** Parameters that are not settings. */
const OWN = /^(?:query|database|default_format|query_id|wait_end_of_query|role|param_\w+)$/

/** Running queries, by the id from the client. */
const running = new Map<string, string>()

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    const [message, code] = reportOf(error)
    if (response.headersSent) return breakOff(response, message)
    response.writeHead(code === '516' ? 403 : code === '60' || code === '81' ? 404 : 500, {
      'content-type': 'text/plain; charset=UTF-8',
      'x-clickhouse-exception-code': code,
    })
    response.end(`${message}\n`)
  })
})

server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const body = await bodyOf(request)
  const sql = [searchParams.get('query'), body].filter(Boolean).join('\n')
  if (sql === '') return void response.end('Ok.\n')
  const user = userOf(request)
  const [, killed] = /^KILL QUERY WHERE query_id = '([\w-]+)'$/.exec(sql) ?? []
  const session = new Session(folder)
  const id = searchParams.get('query_id') ?? ''
  try {
    const run = (text: string) => session.queryAsync(text, { format: 'TabSeparated' })
    for (const text of preparation(user, searchParams)) await run(text)
    if (killed !== undefined) {
      await kill(running.get(killed))
      return void response.end()
    }
    running.set(id, sql)
    response.on('close', () => void (response.writableFinished || kill(running.get(id))))
    await send(session, sql, searchParams, response)
  } finally {
    running.delete(id)
    session.close()
  }
}

/** The statements that prepare a session for a request. All settings are checked at once. */
function preparation(user: User, parameters: URLSearchParams): string[] {
  const asked = [...parameters].filter(([name]) => !OWN.test(name))
  const values = [...parameters].filter(([name]) => name.startsWith('param_'))
  const database = parameters.get('database') ?? ''
  const role = parameters.get('role')
  return [
    set(Object.entries({ ...AS_SERVER, ...user.settings })),
    ...(values.length > 0 ? [set(values)] : []),
    ...(asked.length > 0 ? [set(asked)] : []),
    ...(role === null ? [] : [`SET ROLE ${name(role)}`]),
    ...(database === '' ? [] : [`USE ${name(database)}`]),
  ]
}

const set = (pairs: readonly (readonly [string, string])[]) =>
  `SET ${pairs.map(([key, value]) => `${name(key)} = '${value.replace(/[\\']/g, '\\$&')}'`).join(', ')}`

const name = (text: string) => `\`${text.replace(/[\\`]/g, '\\$&')}\``

async function send(
  session: Session,
  sql: string,
  parameters: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const format = parameters.get('default_format') ?? 'TabSeparated'
  response.setHeader('content-type', 'text/tab-separated-values; charset=UTF-8')
  if (/\binto\s+outfile\b/i.test(sql.replace(/'(?:[^'\\]|\\.)*'/gs, "''"))) {
    // The engine is also a client, and would write the file.
    throw new Error(
      'Code: 358. DB::Exception: INTO OUTFILE is not allowed. (INTO_OUTFILE_NOT_ALLOWED)',
    )
  }
  // The engine accepts several statements where a server accepts one. Its streams do not.
  const several = /;\s*\S/.test(sql)
  const isFinal = parameters.has('wait_end_of_query')
  if (several || !isFinal) {
    const streamed = await stream(session, sql, format, isFinal ? undefined : response)
    if (streamed && !isFinal) return void response.end()
  }
  const result = await session.queryAsync(sql, { format })
  response.end(result.bytes())
}

/** Streams the rows of a statement, if the engine supports that. Without a response, it only tries. */
async function stream(
  session: Session,
  sql: string,
  format: string,
  response: ServerResponse | undefined,
): Promise<boolean> {
  const heading = format === 'TabSeparatedWithNamesAndTypes' ? 2 : 0
  let head: Buffer | undefined
  try {
    for await (const piece of session.queryStream(sql, { format })) {
      if (!response || response.destroyed) return true
      const bytes = Buffer.from(piece.raw())
      const rows = head ? withoutHead(bytes, head) : bytes
      head ??= bytes.subarray(0, endOf(bytes, heading))
      const isDrained = response.write(rows)
      if (!isDrained) await Promise.race([once(response, 'drain'), once(response, 'close')])
    }
    return true
  } catch (error) {
    if (/Streaming query is not supported/.test(String(error))) return false
    throw error
  }
}

/** Removes the names and the types, which every piece begins with, and a piece with totals ends with. */
function withoutHead(bytes: Buffer, head: Buffer): Buffer {
  const start = bytes.indexOf(head) === 0 ? head.length : 0
  const atEnd = bytes.length - head.length
  return bytes.subarray(start, atEnd > 0 && bytes.lastIndexOf(head) === atEnd ? atEnd : undefined)
}

const once = (response: ServerResponse, event: string) =>
  new Promise((resolve) => response.once(event, resolve))

function endOf(bytes: Buffer, lines: number): number {
  let at = 0
  for (let n = 0; n < lines; n++) at = bytes.indexOf('\n', at) + 1
  return at
}

/** Ends a query by its text, because the engine has no other way to identify it. */
async function kill(sql: string | undefined): Promise<void> {
  if (sql === undefined) return
  const text = sql.replace(/[\\']/g, '\\$&')
  await first
    .queryAsync(`KILL QUERY WHERE query = '${text}' ASYNC`, { format: 'Null' })
    .catch(() => {})
}

/** Writes an error between rows in the format of 25.11 and later. */
function breakOff(response: ServerResponse, message: string): void {
  const tag = 'abcdefghijklmnop'
  const length = Buffer.byteLength(message)
  response.write(`__exception__\r\n${tag}\r\n${message}\r\n${length} ${tag}\r\n__exception__\r\n`)
  response.destroy()
}

function reportOf(error: unknown): [string, string] {
  const message = error instanceof Error ? error.message : String(error)
  const [, code = '1001'] = /Code: (\d+)/.exec(message) ?? []
  return [`${message} (version 26.7.2.1 (official build))`, code]
}

function userOf({ headers }: IncomingMessage): User {
  const [, login = ''] = /^Basic (.*)$/.exec(headers.authorization ?? '') ?? []
  const [, who = 'default', password = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(login, 'base64').toString()) ?? []
  const user = users[who]
  if (user && user.password === password) return user
  throw new Error(
    `Code: 516. DB::Exception: ${who}: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)`,
  )
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}
