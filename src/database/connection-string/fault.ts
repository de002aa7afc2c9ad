import type { ConnectionStringPart } from './recognised.ts'

/** Thrown for text that cannot be read as a connection string. Its message never contains a password. */
export class NotRecognised extends Error {
  override readonly name = 'NotRecognised'
  readonly part: ConnectionStringPart | undefined
  readonly engine: string | undefined

  constructor(message: string, part?: ConnectionStringPart, engine?: string) {
    super(message)
    this.part = part
    this.engine = engine
  }
}
