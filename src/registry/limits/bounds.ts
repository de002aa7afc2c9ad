import type { ConfiguredLimits } from '../../gateway/index.ts'
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
export type RateBounds = NonNullable<ConfiguredLimits['endpoint']>

/** True if limits need a meter. */
export const isMetered = (bounds: RateBounds | undefined): bounds is RateBounds =>
  bounds?.concurrent !== undefined ||
  bounds?.rowsPerDay !== undefined ||
  bounds?.bytesPerDay !== undefined
