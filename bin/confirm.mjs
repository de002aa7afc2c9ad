// Asks the person at the terminal.
import { createInterface } from 'node:readline/promises'

/** Whether to go on: as --yes says, else as the person answers. Without a terminal it is no. */
export async function confirmed({ yes, json }, question) {
  if (yes) return true
  if (json || !process.stdin.isTTY) return false
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim())
  } catch {
    return false
  } finally {
    lines.close()
  }
}
