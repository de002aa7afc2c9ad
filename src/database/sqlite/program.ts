import { DatabaseError } from '../error.ts'
import { words } from '../words.ts'

/**
 * Refuses a statement that would write, going by the rows of its `EXPLAIN`: these are the program that
 * runs, see https://sqlite.org/opcode.html. Every write opens its transaction for writing; the opcodes
 * named below change what is in no transaction, or hand the work to another program.
 */
export function assertReads(program: Iterable<readonly unknown[]>): void {
  const writes = Array.from(program, ([, opcode, , p2]) =>
    opcode === 'Transaction' ? p2 !== 0 : WRITERS.has(String(opcode)),
  )
  if (!writes.includes(true)) return
  throw new DatabaseError('refused', 'This database is only read: that would write.')
}

const WRITERS = new Set(
  words(
    'OpenWrite VUpdate VCreate VDestroy VRename CreateBtree Destroy Clear',
    'SqlExec ParseSchema SetCookie JournalMode Checkpoint Vacuum IncrVacuum',
    'AutoCommit Savepoint',
  ),
)
