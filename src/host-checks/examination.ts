import type { NetworkReach } from './reach.ts'
import type { Report } from './report.ts'
import type { ProbedEndpoint } from './rpc.ts'

/** One examination of a URL: the input to every check, and the report that they write to. */
export interface Examination extends ProbedEndpoint {
  /** The URL as the person wrote it. */
  readonly pasted: string
  readonly reach: NetworkReach
  readonly report: Report
}
