// Prints a command's result, and asks for confirmation.
import { createInterface } from 'node:readline/promises'
import { CommandFailure } from './failure.ts'

/** The option of commands that cannot be undone. */
export const sure = {
  yes: { type: 'boolean', about: 'do it; without this, nothing changes' },
} as const

/** Exit code of a command that would change something but was not confirmed. */
export const NOT_DONE = 3

/** Options of a command that prints JSON for scripts, and can be confirmed in advance. */
export interface Choices {
  readonly json?: boolean | undefined
  readonly yes?: boolean | undefined
}

/** Prints a value as JSON for scripts, or as text for people. */
export function print({ json }: Choices, value: unknown, textOf: () => string): void {
  console.log(json ? JSON.stringify(value, null, 2) : textOf())
}

/** Stops unless the command was given --yes. */
export function assertSure({ yes }: Choices, what: string): void {
  if (!yes)
    throw new CommandFailure(
      `This would ${what}. Nothing was changed: add --yes to do it.`,
      NOT_DONE,
    )
}

/** Asks whether to continue. True with --yes; false without a terminal. */
export async function confirmed({ yes, json }: Choices, question: string): Promise<boolean> {
  if (yes) return true
  if (json || !process.stdin.isTTY) return false
  return /^y(?:es)?$/i.test(await asked(`${question} [y/N] `).catch(() => ''))
}

/** Asks the person at the terminal. */
export async function asked(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await lines.question(question).finally(() => lines.close())
  return answer.trim()
}
