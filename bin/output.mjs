// Prints what a command found, and asks whether to go on.
import { Failure } from './api.mjs'

/** The option of commands that cannot be undone. */
export const sure = { yes: { type: 'boolean', about: 'do it; without this nothing is changed' } }

/** The exit code of a command that would change something, and was not told to. */
export const NOT_DONE = 3

/** Prints a value as JSON for scripts, or as a text for people. */
export function print({ json }, value, textOf) {
  console.log(json ? JSON.stringify(value, null, 2) : textOf())
}

/** Stops unless the command was given --yes. */
export function assertSure({ yes }, what) {
  if (!yes)
    throw new Failure(`This would ${what}. Nothing was changed: add --yes to do it.`, NOT_DONE)
}
