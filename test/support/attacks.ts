import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A statement of the corpus in `test/attack/corpus`, with the expected outcome and the reason. */
export interface Attack {
  readonly engine: string
  readonly name: string
  readonly sql: string
  /** `no_effect`: it may run, but must change nothing. */
  readonly expect: 'rejected' | 'no_effect' | 'allowed'
  readonly why: string
  /** The place that refuses this read on purpose, because it limits the cost of a statement: `demo store`. */
  readonly bounded?: string
}

/** A name or a pattern that is sent as a table argument. */
export interface Argument {
  readonly engine: string
  readonly arg: 'table' | 'pattern'
  readonly value: string
  readonly why: string
}

const read = <T extends { engine: string }>(file: string, engine: string): T[] =>
  readFileSync(join(import.meta.dirname, '../attack/corpus', `${file}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((it: T) => it.engine === engine || it.engine === 'any')

/** Statements that write, lock, use files or the network, or never end. */
export const attacks = (engine: string) => read<Attack>('readonly', engine)

/** Statements that the guard must accept. */
export const benign = (engine: string) => read<Attack>('benign', engine)

/** Arguments that must match a table exactly, or nothing. */
export const hostileNames = (engine: string) => read<Argument>('identifiers', engine)

/** Plain reads that are only too expensive, with what stops them, because the guard cannot detect them. */
export const exhausting: ReadonlyMap<string, string> = new Map([
  ['pg_dos_cross_join', 'the statement timeout'],
  ['pg_dos_big_cell', 'the statement timeout, or the 10 MiB of an answer'],
  ['pg_dos_self_join', 'the statement timeout'],
  ['my_dos_info_schema', 'the statement timeout'],
  ['my_dos_self_join', 'the statement timeout'],
  ['sl_dos_recursive', 'what a platform lets one query compute'],
  ['sl_dos_cross_join', 'what a platform lets one query compute'],
  ['sl_dos_zeroblob', 'the largest value of a platform'],
  ['sl_dos_printf', 'the largest value of a platform'],
  ['ch_dos_numbers', 'the time limit, which an old version does not need'],
  ['ch_dos_system_numbers', 'the cap of rows'],
  ['ch_dos_cross_join', 'the time limit'],
  ['ch_dos_repeat', 'what a function may return'],
  ['ch_dos_array_join', 'the memory limit, or the cap of rows'],
  ['ch_dos_hash', 'the time limit'],
])
