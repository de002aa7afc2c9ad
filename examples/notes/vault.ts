import * as z from 'zod'

/** A store of notes: Markdown texts, by name. */
export interface Vault {
  /** Notes by name. With `words`, the best matches come first; with `recent`, the last changed notes. */
  find(query: Query, signal: AbortSignal): Promise<Found>
  /** The text of a note; null if there is none with this name. */
  read(name: string, signal: AbortSignal): Promise<string | null>
  /** Throws a ToolError if it writes nothing. */
  write(note: Writing, signal: AbortSignal): Promise<void>
  /** Throws a ToolError if there is no such note. */
  remove(name: string, signal: AbortSignal): Promise<void>
}

export interface Query {
  readonly words?: string
  readonly recent?: boolean
  /** In lower case, without `#`. `garden` also finds `garden/roses`. */
  readonly tag?: string | undefined
  /** The beginning of the names. */
  readonly begun?: string
  readonly offset?: number
  readonly limit: number
}

/** Some notes, and how many match in all. */
export interface Found {
  readonly notes: readonly Note[]
  readonly total: number
}

export interface Note {
  readonly name: string
  /** ISO 8601. */
  readonly changed?: string
  readonly tags?: readonly string[]
  /** The match, with some words around it. */
  readonly excerpt?: string
}

export interface Writing {
  readonly name: string
  readonly text: string
  /** `create` needs an unused name, the others need an existing note. */
  readonly how: 'create' | 'replace' | 'append'
}

export const EXISTS = 'A note with this name exists: change it with update_note.'
export const MISSING = 'There is no such note: find its name with search_notes or get_recent_notes.'

/** Maximum number of characters of an excerpt. */
export const MAX_EXCERPT = 300

/**
 * The name of a note: its path in the vault, without `.md`. It cannot lead out of the vault or to hidden
 * files, and all of its characters are visible to a person who is asked about it.
 */
export const noteName = z
  .string()
  .trim()
  .normalize()
  .overwrite((name) => name.replace(/\.md$/i, ''))
  .min(1)
  .max(200)
  .refine(
    (name) => name.split('/').every((part) => PART.test(part)),
    'A name is like "garden/Roses in May". No part of it begins with a dot or a space, and it has no backslash, colon or control character.',
  )

const PART = /^(?![.\s])[^\\:\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]+(?<!\s)$/u
