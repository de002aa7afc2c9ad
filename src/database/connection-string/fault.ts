import type { Part } from './recognised.ts'

/** Why a text cannot be read as a connection string. Its message holds no password. */
export class NotRecognised extends Error {
  override readonly name = 'NotRecognised'
  readonly part: Part | undefined
  /** Its engine, where that much is known. */
  readonly engine: string | undefined

  constructor(message: string, part?: Part, engine?: string) {
    super(message)
    this.part = part
    this.engine = engine
  }
}
