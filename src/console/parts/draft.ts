import type { ApiRefusal } from '../visit.ts'

/** Values in a form: stored ones, or ones that a person typed and the reason they were refused. */
export class FormDraft {
  readonly typed: URLSearchParams | undefined
  readonly refused: ApiRefusal | undefined

  constructor(typed?: URLSearchParams, refused?: ApiRefusal) {
    this.typed = typed
    this.refused = refused
  }

  text(name: string, stored: unknown = ''): string {
    return this.typed ? (this.typed.get(name) ?? '') : `${stored ?? ''}`
  }

  isTicked(name: string, value: string, stored: boolean): boolean {
    return this.typed ? this.typed.getAll(name).includes(value) : stored
  }

  /** Error for an input or a part of it. */
  problemOf(name: string): string | undefined {
    const { field = '', message } = this.refused ?? {}
    const isIts = field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`)
    return field && isIts ? message : undefined
  }
}

/** A form that has not been submitted yet. */
export const fresh = new FormDraft()
