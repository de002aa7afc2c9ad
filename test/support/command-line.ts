import { type ExecFileException, execFile } from 'node:child_process'
import { resolve } from 'node:path'

/** The output of a command, and its exit code. */
export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The environment and the input of a program. */
export interface Around {
  /** Its only variables. */
  readonly vars: Record<string, string>
  readonly stdin?: string
  readonly folder?: string
  readonly program?: string
  /** Stops it after it has printed this text. */
  readonly until?: string
}

/** Runs the command line as a process, and waits for its end. */
export function tidegate(args: readonly string[], around: Around): Promise<Ran> {
  const { vars, stdin = '', folder: cwd, program = resolve('bin/tidegate.mjs'), until } = around
  return new Promise((done) => {
    const child = execFile(process.execPath, [program, ...args], { env: vars, cwd }, ended)
    function ended(error: ExecFileException | null, stdout: string, stderr: string) {
      done({ code: Number(error?.code ?? 0), stdout, stderr })
    }
    let printed = ''
    child.stdout?.on('data', (chunk) => {
      printed += chunk
      if (until !== undefined && printed.includes(until)) child.kill()
    })
    // A program that has already ended does not read its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(stdin)
  })
}
