import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadModule, scanSync } from 'libpg-query'

const binary = join(dirname(fileURLToPath(import.meta.resolve('libpg-query'))), 'libpg-query.wasm')

/** The kinds of keywords, as PostgreSQL's scanner numbers them. A keyword of the kind 1 may be any name. */
export const NAME_OF_COLUMN = 2
export const NAME_OF_FUNCTION = 3
export const RESERVED = 4

/**
 * Every keyword of PostgreSQL, and its kind: each word in the binary of its parser that its own scanner knows
 * as one. A newer parser has more.
 */
export async function keywords(): Promise<ReadonlyMap<string, number>> {
  await loadModule()
  const words = new Set(readFileSync(binary, 'latin1').match(/(?<=\0)[a-z_]{2,20}(?=\0)/g))
  const kinds = [...words].map((word) => [word, scanSync(word).tokens[0]!.keywordKind] as const)
  return new Map(kinds.filter(([, kind]) => kind > 0))
}
