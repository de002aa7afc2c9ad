import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Argument, Attack } from '../support/attacks.ts'

/** Statements that must have no effect, statements that must run, and names that must name no hidden table. */
export interface Corpus {
  readonly attacks: readonly Attack[]
  readonly names: readonly Argument[]
  readonly benign: readonly Attack[]
  /** The errors in its lines, as sentences. */
  readonly problems: readonly string[]
}

const folder = join(import.meta.dirname, 'corpus')

/** The files of this repository. */
export const ours: readonly string[] = ['readonly', 'identifiers', 'benign'].map((name) =>
  join(folder, `${name}.jsonl`),
)

/** Other names of the engines. */
const aliases: Readonly<Record<string, string>> = {
  ...{ postgresql: 'postgres', pg: 'postgres', neon: 'postgres', supabase: 'postgres' },
  mariadb: 'mysql',
  ...{ planetscale: 'mysql', libsql: 'sqlite', rqlite: 'sqlite', turso: 'sqlite', d1: 'sqlite' },
}

/** Reads files with one JSON object on each line, of any of the three kinds, for these engines. */
export function readCorpus(files: readonly string[], engines: readonly string[]): Corpus {
  const attacks: Attack[] = []
  const names: Argument[] = []
  const benign: Attack[] = []
  const problems: string[] = []
  for (const file of files) {
    for (const [i, line] of readFileSync(file, 'utf8').split(/\r?\n/).entries()) {
      if (line.trim() === '') continue
      const entry = parse(line)
      const known = typeof entry?.engine === 'string' && entry.engine.toLowerCase()
      const engine = known && (aliases[known] ?? known)
      const where = `${file}, line ${i + 1}`
      if (!entry || !(typeof entry.sql === 'string' || typeof entry.value === 'string')) {
        problems.push(`${where}: not a JSON object with an "engine" and with "sql" or "value".`)
      } else if (!engine || !(engine === 'any' || engines.includes(engine))) {
        problems.push(`${where}: the engine "${entry.engine}" is none of ${engines.join(', ')}.`)
      } else if (typeof entry.sql !== 'string') {
        names.push({ ...entry, engine } as unknown as Argument)
      } else {
        const name = entry.name ?? `${engine}_${i + 1}`
        const list = entry.expect === 'allowed' ? benign : attacks
        list.push({ ...entry, engine, name } as unknown as Attack)
      }
    }
  }
  return { attacks, names, benign, problems }
}

/** True if an entry is for an engine. `clickhouse` means both the version of Debian and `clickhouse-current`. */
export const isFor = (engine: string) => (it: { readonly engine: string }) =>
  it.engine === engine || it.engine === 'any' || engine.startsWith(`${it.engine}-`)

/** True if a statement is only too expensive, so a cap may end it. */
export const isEndless = ({ name }: Attack) => /_dos_/.test(name)

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return value !== null && typeof value === 'object' ? { ...value } : undefined
  } catch {
    return undefined
  }
}
