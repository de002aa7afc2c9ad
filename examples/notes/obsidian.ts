import { ToolError } from 'tidegate/mcp'
import * as z from 'zod'
import { EXISTS, MAX_EXCERPT, MISSING, type Note, noteName, type Vault } from './vault.ts'

const TIMEOUT_MS = 10_000

/** Maximum size of an answer in bytes: a list of about 50,000 notes. */
const MAX_BYTES = 8_000_000

/** Number of characters before and after a match. */
const AROUND = 80

/**
 * The vault that is open in Obsidian, through the plugin Local REST API
 * (https://coddingtonbear.github.io/obsidian-local-rest-api).
 *
 * @param base The URL of the plugin, such as `http://127.0.0.1:27123`.
 * @param key The key in the plugin's settings.
 */
export function obsidian(base: string, key = ''): Vault {
  const ask = (path: string, signal: AbortSignal, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${key.trim()}`, ...init.headers }
    return answerOf(`${base.replace(/\/$/, '')}/${path}`, { ...init, headers }, signal)
  }
  const read: Vault['read'] = (name, signal) => ask(pathOf(name), signal)

  async function search(words: string, signal: AbortSignal): Promise<Note[]> {
    const query = new URLSearchParams({ query: words, contextLength: String(AROUND) })
    const answer = await ask(`search/simple/?${query}`, signal, { method: 'POST' })
    return parsed(matched, answer).map(({ filename, matches }) => ({
      name: nameOf(filename),
      excerpt: matches
        .map((it) => it.context)
        .join(' … ')
        .slice(0, MAX_EXCERPT),
    }))
  }

  async function list(signal: AbortSignal): Promise<Note[]> {
    // A JsonLogic rule that is true for every note, and returns these two values.
    const body = JSON.stringify([{ var: 'stat.mtime' }, { var: 'tags' }])
    const headers = { 'content-type': 'application/vnd.olrapi.jsonlogic+json' }
    const answer = await ask('search/', signal, { method: 'POST', headers, body })
    return parsed(listed, answer).map(({ filename, result: [mtime, tags] }) => ({
      name: nameOf(filename),
      changed: new Date(mtime).toISOString(),
      tags: tags.map((it) => it.toLowerCase()),
    }))
  }

  return {
    read,
    async find({ words, recent, tag, begun = '', offset = 0, limit }, signal) {
      const found = words === undefined ? await list(signal) : await search(words, signal)
      const notes = found.filter(
        ({ name, tags }) =>
          hasAddress(name) &&
          name.toLowerCase().startsWith(begun.toLowerCase()) &&
          (!tag || tags?.some((it) => `${it}/`.startsWith(`${tag}/`))),
      )
      if (recent) notes.sort((a, b) => (b.changed! < a.changed! ? -1 : 1))
      else if (words === undefined) notes.sort((a, b) => (a.name < b.name ? -1 : 1))
      return { notes: notes.slice(offset, offset + limit), total: notes.length }
    },
    async write({ name, text: body, how }, signal) {
      // The plugin has no conditional writes, so the note is read first.
      const before = await read(name, signal)
      if (before === null && how !== 'create') throw new ToolError(MISSING)
      if (before !== null && how === 'create') throw new ToolError(EXISTS)
      const method = how === 'append' ? 'POST' : 'PUT'
      const headers = { 'content-type': 'text/markdown' }
      const answer = await ask(pathOf(name), signal, { method, headers, body })
      if (answer === null) throw new ToolError(MISSING)
    },
    // The note goes to the trash.
    async remove(name, signal) {
      const answer = await ask(pathOf(name), signal, { method: 'DELETE' })
      if (answer === null) throw new ToolError(MISSING)
    },
  }
}

/** In these folders, the plugin reads the rest of a path as a part of a note: `/vault/note.md/heading/Part`. */
const hasAddress = (name: string) =>
  noteName.safeParse(name).data === name && !/(?:^|\/)(?:heading|block|frontmatter)\//.test(name)

function pathOf(name: string): string {
  if (hasAddress(name)) return `vault/${name.split('/').map(encodeURIComponent).join('/')}.md`
  throw new ToolError('A folder cannot be called heading, block or frontmatter: choose another.')
}

const nameOf = (filename: string) => filename.replace(/\.md$/, '')

const matched = z.array(
  z.object({ filename: z.string(), matches: z.array(z.object({ context: z.string() })) }),
)
const listed = z.array(
  z.object({
    filename: z.string(),
    // The range of a Date.
    result: z.tuple([z.number().min(0).max(8.64e15), z.array(z.string())]),
  }),
)

function parsed<T>(schema: z.ZodType<T>, text: string | null): T {
  try {
    return schema.parse(JSON.parse(text ?? ''))
  } catch {
    throw new ToolError('What answers at OBSIDIAN_URL is not the plugin Local REST API.')
  }
}

/** The text of an answer; null if there is nothing. */
async function answerOf(url: string, init: RequestInit, call: AbortSignal): Promise<string | null> {
  const late = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const signal = AbortSignal.any([call, late])
    const response = await fetch(url, { ...init, redirect: 'manual', signal })
    const { ok, status, body } = response
    if (ok) return await textOf(response)
    await body?.cancel()
    if (status === 404) return null
    throw new ToolError(
      status === 401 ? NO_KEY : `Obsidian refused this with the status ${status}.`,
    )
  } catch (error) {
    if (error instanceof ToolError) throw error
    // The message of this error can contain the key.
    throw new ToolError(late.aborted ? LATE : SILENT)
  }
}

const NO_KEY =
  'Obsidian refused the key: OBSIDIAN_API_KEY is the one in its settings, under Local REST API.'
const LATE = `Obsidian took longer than ${TIMEOUT_MS / 1_000} seconds: try again.`
const SILENT =
  'Obsidian does not answer at OBSIDIAN_URL. It must be open, with the plugin Local REST API.'
const TOO_MUCH = `Obsidian answered with more than ${MAX_BYTES / 1_000_000} MB: search for rarer words.`

async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw new ToolError(TOO_MUCH)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
