import type { Limits } from '../../gateway/index.ts'
import { ToolError } from '../../mcp/index.ts'

/** Why a call was refused, for its record. */
export type LimitCode = 'concurrent' | 'rowsPerDay' | 'bytesPerDay'

/** A limit is reached. The model reads when it starts again. */
export class LimitReached extends ToolError {
  readonly code: LimitCode

  constructor(code: LimitCode, message: string) {
    super(message)
    this.code = code
  }
}

/** What may be used. */
export type Bounds = NonNullable<Limits['endpoint']>

/** Whether limits need a meter. */
export const isMetered = (bounds: Bounds | undefined): bounds is Bounds =>
  bounds?.concurrent !== undefined ||
  bounds?.rowsPerDay !== undefined ||
  bounds?.bytesPerDay !== undefined
