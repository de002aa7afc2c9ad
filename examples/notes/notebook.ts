import { type ObjectNamespace, ToolError } from 'tidegate/mcp'
import { obsidian } from './obsidian.ts'
import { stored } from './stored.ts'
import { MISSING, noteName, type Query, type Writing } from './vault.ts'

/** Maximum number of notes in a page of the list, and of suggested names. */
const PAGE = 500
const MAX_NAMES = 100

/** Maximum number of characters that are read at once. */
export const PART = 50_000

export interface VaultSettings {
  readonly NOTES: ObjectNamespace
  /** The URL of Obsidian's plugin Local REST API. Without it, the notes are stored in NOTES. */
  readonly OBSIDIAN_URL?: string
  /** Secret. The key in the settings of the plugin. */
  readonly OBSIDIAN_API_KEY?: string
}

const uriOf = (name: string) => `note://${encodeURIComponent(name)}`

/**
 * The notes in the vault of the settings, each with its URI.
 *
 * @param announce Called after each change, with the URI. If a note was created or deleted, `isListed` is true.
 */
export function notebook(
  { NOTES, OBSIDIAN_URL, OBSIDIAN_API_KEY }: VaultSettings,
  announce: (uri: string, isListed: boolean) => Promise<void>,
) {
  const vault = OBSIDIAN_URL ? obsidian(OBSIDIAN_URL, OBSIDIAN_API_KEY) : stored(NOTES)
  const existing = async (name: string, signal: AbortSignal) => {
    const text = await vault.read(name, signal)
    if (text === null) throw new ToolError(MISSING)
    return text
  }
  const find = async (query: Query, signal: AbortSignal) => {
    const tag = query.tag?.replace(/^#/, '').toLowerCase()
    const { notes, total } = await vault.find({ ...query, tag }, signal)
    return { notes: notes.map((it) => ({ uri: uriOf(it.name), ...it })), total }
  }
  return {
    find,
    /** A page of all notes by name, and the start of the next page, if there is one. */
    async page(offset: number, signal: AbortSignal) {
      const { notes, total } = await find({ offset, limit: PAGE }, signal)
      return { notes, next: offset + PAGE < total ? offset + PAGE : undefined }
    },
    /** Names with this beginning, and how many there are in all. */
    async names(begun: string, signal: AbortSignal) {
      const { notes, total } = await vault.find({ begun, limit: MAX_NAMES }, signal)
      return { values: notes.map((it) => it.name), total }
    },
    /** The text of a note; undefined if there is none, or if the name is not valid. */
    async read(name: string, signal: AbortSignal): Promise<string | undefined> {
      const { data } = noteName.safeParse(name)
      return data === undefined ? undefined : ((await vault.read(data, signal)) ?? undefined)
    },
    /** Throws a ToolError if there is no such note. */
    expect: async (name: string, signal: AbortSignal) => void (await existing(name, signal)),
    /** A part of a note's text, and the start of the next part, if there is one. */
    async readPart(name: string, offset: number, signal: AbortSignal) {
      const text = await existing(name, signal)
      const end = offset + PART
      const next = end < text.length ? end : undefined
      return { uri: uriOf(name), text: text.slice(offset, end), next }
    },
    /** Returns the URI. */
    async write(note: Writing, signal: AbortSignal): Promise<string> {
      const uri = uriOf(note.name)
      await vault.write(note, signal)
      await announce(uri, note.how === 'create')
      return uri
    },
    /** Returns the URI of the deleted note. */
    async remove(name: string, signal: AbortSignal): Promise<string> {
      const uri = uriOf(name)
      await vault.remove(name, signal)
      await announce(uri, true)
      return uri
    },
  }
}
