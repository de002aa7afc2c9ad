import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** An Obsidian vault behind the plugin Local REST API. */
export interface FakeObsidian {
  readonly url: string
  /** The texts, by path. */
  readonly files: Map<string, { text: string; mtime: number }>
  /** The requests so far, such as `GET /vault/a.md`. */
  readonly asked: string[]
  /** The key in its settings. */
  key: string
  /** The fault: it answers with a status, drops connections, or pauses before each half of an answer. */
  fault: { readonly status?: number; readonly drops?: boolean; readonly pauseMs?: number }
  put(path: string, text: string): void
  close(): Promise<void>
}

type Answer = readonly [status: number, body?: unknown, type?: string]

const JSON_LOGIC = 'application/vnd.olrapi.jsonlogic+json'

/**
 * Starts the part of the plugin's API, version 5.1, that notes need: its paths, statuses and error codes
 * (https://coddingtonbear.github.io/obsidian-local-rest-api), and the parts of a note in a path
 * (`/vault/note.md/heading/Part`).
 */
export async function startObsidian(key: string): Promise<FakeObsidian> {
  const files: FakeObsidian['files'] = new Map()
  let now = Date.UTC(2026, 10, 1)
  const put = (path: string, text: string) => {
    now += 1_000
    files.set(path, { text, mtime: now })
  }

  const server = createServer(async (request, response) => {
    const { method = 'GET', headers, url = '/' } = request
    const body = await textOf(request)
    fake.asked.push(`${method} ${url}`)
    const { fault } = fake
    if (fault.drops) return void request.socket.destroy()
    const isAllowed = headers.authorization === `Bearer ${fake.key}`
    const [status, answer, type = 'application/json; charset=utf-8'] = fault.status
      ? problem(fault.status * 100, 'The words of a stranger.')
      : isAllowed || url === '/'
        ? answerTo(method, url, headers['content-type'], body)
        : problem(40101, 'Authorization required.')
    const isText = typeof answer === 'string' && !type.startsWith('application/json')
    const bytes = Buffer.from(isText ? answer : (JSON.stringify(answer, null, 2) ?? ''))
    const half = bytes.length >> 1
    if (fault.pauseMs) await sleep(fault.pauseMs)
    const location = status < 400 && status >= 300 ? { location: `${fake.url}/vault/` } : {}
    response.writeHead(status, { 'content-type': type, ...location }).write(bytes.subarray(0, half))
    if (fault.pauseMs) await sleep(fault.pauseMs)
    response.end(bytes.subarray(half))
  })

  function answerTo(method: string, url: string, type = '', body: string): Answer {
    // The raw path, because a URL would resolve dots.
    const [, room, ...rest] = url.split('?')[0]!.split('/')
    if (room === '') return [200, { status: 'OK', service: 'Obsidian Local REST API' }]
    if (room === 'search' && method === 'POST') {
      if (rest[0] === 'simple') return search(new URL(url, 'http://obsidian').searchParams)
      if (type !== JSON_LOGIC) return problem(type ? 40012 : 40011, 'Content-Type')
      return filter(body)
    }
    if (room !== 'vault') return problem(40400, 'Not Found')
    let parts: string[]
    try {
      parts = rest.map(decodeURIComponent)
    } catch {
      return problem(40021, 'Path traversal is not allowed.')
    }
    if (leavesVault(parts)) return problem(40021, 'Path traversal is not allowed.')
    return vault(method, parts, type, body)
  }

  function vault(method: string, parts: string[], type: string, body: string): Answer {
    const path = parts.join('/')
    const isPath = parts.every((it) => !it.includes('/'))
    const file = isPath ? files.get(path) : undefined
    const below = parts.findIndex((_, i) => i > 0 && files.has(parts.slice(0, i).join('/')))
    if (!file && below > 0)
      return part(method, parts.slice(0, below).join('/'), parts.slice(below), body)
    if (method === 'GET') {
      if (file) return [200, file.text, mimeType(path)]
      const inside = [...files.keys()].filter((it) =>
        it.startsWith(path && `${path.replace(/\/$/, '')}/`),
      )
      return inside.length ? [200, { files: inside }] : problem(40400, 'Not Found')
    }
    if (!path || path.endsWith('/'))
      return problem(40510, 'Request method is valid only for files.')
    if (!isPath) return problem(40400, 'Not Found')
    if (method === 'DELETE') return files.delete(path) ? [204] : problem(40400, 'Not Found')
    if (!file && parts.some((it) => ['heading', 'block', 'frontmatter'].includes(it)))
      return problem(40400, 'Not Found')
    if (!type.startsWith('text/')) return problem(40010, 'Incoming content must be text data.')
    const before =
      method === 'POST' && file ? `${file.text}${file.text.endsWith('\n') ? '' : '\n'}` : ''
    put(path, before + body)
    return [204]
  }

  /** A part of a note, by its heading. Writing to a missing one creates it. */
  function part(method: string, path: string, [kind, heading]: string[], body: string): Answer {
    if (kind !== 'heading') return problem(40053, 'The target type you specified was invalid.')
    const { text } = files.get(path)!
    const at = text.indexOf(`# ${heading}\n`)
    if (method === 'GET' && at < 0) return problem(40400, 'Not Found')
    if (method === 'GET') return [200, text.slice(at), 'text/markdown; charset=utf-8']
    if (method === 'DELETE') return problem(40500, 'Deleting a section is not supported.')
    put(path, `${text}\n# ${heading}\n${body}`)
    return [200, files.get(path)!.text, 'text/markdown; charset=utf-8']
  }

  const notes = () => [...files].filter(([path]) => path.endsWith('.md'))

  /** All words have to match, each one anywhere in the name or the text. */
  function search(asked: URLSearchParams): Answer {
    const query = asked.get('query')
    if (query === null) return problem(40090, "A single '?query=' parameter is required.")
    const around = Number(asked.get('contextLength') ?? 100)
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    const found = notes().flatMap(([filename, { text }]) => {
      const name = filename.replace(/^.*\//, '').replace(/\.md$/, '')
      const places = words.map((word) => ({
        word,
        inName: placesOf(word, name),
        inText: placesOf(word, text),
      }))
      if (places.some(({ inName, inText }) => inName.length + inText.length === 0)) return []
      const matches = places.flatMap(({ word, inName, inText }) => [
        ...inName.map((start) => ({
          match: { start, end: start + word.length, source: 'filename' },
          context: name,
        })),
        ...inText.map((start) => ({
          match: { start, end: start + word.length, source: 'content' },
          context: text.slice(Math.max(start - around, 0), start + word.length + around),
        })),
      ])
      return [{ filename, score: -1 / matches.length, matches }]
    })
    return [200, found.sort((a, b) => b.score - a.score)]
  }

  /** The notes for which a rule is true. Of JsonLogic, it supports only lists of `var`. */
  function filter(body: string): Answer {
    try {
      const rule: unknown = JSON.parse(body)
      const results = notes().map(([path, { text, mtime }]) => {
        const size = Buffer.byteLength(text)
        const note = {
          path,
          content: text,
          tags: tagsOf(text),
          stat: { ctime: mtime, mtime, size },
        }
        return { filename: path, result: applied(rule, note) }
      })
      return [200, results.filter(({ result }) => isTrue(result))]
    } catch (error) {
      return problem(40070, String(error))
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const fake: FakeObsidian = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ files, asked: [], key, fault: {}, put },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return fake
}

const problem = (errorCode: number, message: string): Answer => [
  Math.floor(errorCode / 100),
  { message, errorCode },
]

function leavesVault(parts: readonly string[]): boolean {
  let depth = 0
  for (const part of parts.join('/').split('/')) {
    if (part === '..') depth--
    else if (part && part !== '.') depth++
    if (depth < 0) return true
  }
  return false
}

const mimeType = (path: string) =>
  path.endsWith('.md') ? 'text/markdown; charset=utf-8' : 'application/octet-stream'

function placesOf(word: string, text: string): number[] {
  const [places, all] = [[] as number[], text.toLowerCase()]
  for (let at = all.indexOf(word); at >= 0; at = all.indexOf(word, at + word.length))
    places.push(at)
  return places
}

/** The tags in the text, and in the list at its beginning. */
function tagsOf(text: string): string[] {
  const [, front = ''] = /^---\n([\s\S]*?)\n---/.exec(text) ?? []
  const [, list = ''] = /^tags: \[(.*)\]$/m.exec(front) ?? []
  const inText = [...text.matchAll(/(?:^|\s)#([\p{L}\d/_-]*\p{L}[\p{L}\d/_-]*)/gu)].map(
    ([, it]) => it!,
  )
  return [...new Set([...list.split(/,\s*/).filter(Boolean), ...inText])]
}

function applied(rule: unknown, note: object): unknown {
  if (Array.isArray(rule)) return rule.map((it) => applied(it, note))
  if (typeof rule !== 'object' || rule === null) return rule
  const [[operator, argument] = []] = Object.entries(rule)
  if (operator !== 'var') throw new Error(`Unrecognized operation ${operator}`)
  return String(argument)
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], note)
}

const isTrue = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Boolean(value))
