import { DatabaseError } from '../error.ts'
import { words } from '../words.ts'

/**
 * Refuses a statement that would write, based on the rows from its `EXPLAIN`. They are the program that
 * runs: https://sqlite.org/opcode.html. Every write opens its transaction for writing. The opcodes listed
 * below change state outside of any transaction, or hand the work to another program.
 */
export function assertReads(program: Iterable<readonly unknown[]>): void {
  const writes = Array.from(program, ([, opcode, , p2]) =>
    opcode === 'Transaction' ? p2 !== 0 : WRITERS.has(String(opcode)),
  )
  if (!writes.includes(true)) return
  throw new DatabaseError('refused', 'This database is read-only: that would write.')
}

/** The number of columns in the rows that a program returns. */
export function widthOf(program: readonly (readonly unknown[])[]): number {
  const [, , , columns] = program.find(([, opcode]) => opcode === 'ResultRow') ?? []
  return Number(columns)
}

const WRITERS = new Set(
  words(
    'OpenWrite VUpdate VCreate VDestroy VRename CreateBtree Destroy Clear',
    'SqlExec ParseSchema SetCookie JournalMode Checkpoint Vacuum IncrVacuum',
    'AutoCommit Savepoint',
  ),
)
