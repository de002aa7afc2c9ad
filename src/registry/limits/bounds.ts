import type { Limits } from '../../gateway/index.ts'
import { ToolError } from '../../mcp/index.ts'

/** Reason a call was refused, for its record. */
type LimitCode = 'concurrent' | 'rowsPerDay' | 'bytesPerDay'

/** Error for a limit that is reached. It tells the model when to try again. */
export class LimitReached extends ToolError {
  readonly code: LimitCode

  constructor(code: LimitCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Limits on an endpoint or a caller. */
export type Bounds = NonNullable<Limits['endpoint']>

/** True if limits need a meter. */
export const isMetered = (bounds: Bounds | undefined): bounds is Bounds =>
  bounds?.concurrent !== undefined ||
  bounds?.rowsPerDay !== undefined ||
  bounds?.bytesPerDay !== undefined
