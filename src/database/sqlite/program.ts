import { DatabaseError } from '../error.ts'
import { words } from '../words.ts'

/**
 * Refuses a statement that would write, going by the rows of its `EXPLAIN`: the program that runs,
 * as https://sqlite.org/opcode.html describes it. Every writer opens its transaction for writing;
 * the opcodes named below change what no transaction holds, or hand the work to another program.
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
