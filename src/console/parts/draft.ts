import type { ApiAnswer } from '../visit.ts'

/** Why the API did not do what a form asked for. */
export interface Refused {
  readonly message: string
  /** The path of the field that is wrong: `caps.rows`. Inputs are named by these paths. */
  readonly field?: string | undefined
}

/** A form as it is shown: with what is stored, or with what was typed, and what was wrong with that. */
export class Draft {
  readonly typed: URLSearchParams | undefined
  readonly refused: Refused | undefined

  constructor(typed?: URLSearchParams, refused?: Refused) {
    this.typed = typed
    this.refused = refused
  }

  text(name: string, stored: unknown = ''): string {
    return this.typed ? (this.typed.get(name) ?? '') : `${stored ?? ''}`
  }

  isTicked(name: string, value: string, stored: boolean): boolean {
    return this.typed ? this.typed.getAll(name).includes(value) : stored
  }

  /** What is wrong with an input, or with something within it. */
  problemOf(name: string): string | undefined {
    const { field = '', message } = this.refused ?? {}
    const isIts = field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`)
    return field && isIts ? message : undefined
  }
}

/** A form that nobody has sent yet. */
export const fresh = new Draft()

/** Why the API refused, if it did. */
export function refusedBy({ status, body }: ApiAnswer): Refused | undefined {
  if (status < 400) return undefined
  return body?.error ?? { message: `The API answered ${status}.` }
}
