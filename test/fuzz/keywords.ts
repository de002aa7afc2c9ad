import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadModule, scanSync } from 'libpg-query'

const binary = join(dirname(fileURLToPath(import.meta.resolve('libpg-query'))), 'libpg-query.wasm')

/** The kinds of keywords, with the numbers of PostgreSQL's scanner. A keyword of kind 1 can be any name. */
export const NAME_OF_COLUMN = 2
export const NAME_OF_FUNCTION = 3
export const RESERVED = 4

/**
 * Every keyword of PostgreSQL, with its kind: each word in the binary of the parser that the scanner recognizes as
 * a keyword. A newer parser has more of them.
 */
export async function keywords(): Promise<ReadonlyMap<string, number>> {
  await loadModule()
  const words = new Set(readFileSync(binary, 'latin1').match(/(?<=\0)[a-z_]{2,20}(?=\0)/g))
  const kinds = [...words].map((word) => [word, scanSync(word).tokens[0]!.keywordKind] as const)
  return new Map(kinds.filter(([, kind]) => kind > 0))
}
