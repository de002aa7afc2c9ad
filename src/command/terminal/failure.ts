import { plain } from './table.ts'

/** A failure, with a message for the person at the terminal. The message contains no secrets. */
export class CommandFailure extends Error {
  /** The exit code: 1 if it failed. */
  readonly code: number
  /** The status of the HTTP response that reported it. */
  readonly status: number | undefined

  constructor(message: string, code = 1, status?: number) {
    super(message.split('\n').map(plain).join('\n'))
    this.code = code
    this.status = status
  }
}

/** Exit code of a command that was not understood. */
export const NOT_UNDERSTOOD = 2

/** A mistake in the command, or in a file or variable that it names. */
export class Mistake extends CommandFailure {
  constructor(message: string) {
    super(message, NOT_UNDERSTOOD)
  }
}

/** The message of anything thrown. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** The code of a system error, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined

/** The first sentence of an error from `parseArgs`. The later sentences are about `parseArgs` itself. */
export const parsingFault = (error: unknown): string => messageOf(error).split(/\. |\n/)[0] ?? ''
