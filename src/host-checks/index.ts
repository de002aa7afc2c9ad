// Checks that hosts can use an MCP server, and the parts that `npx tidegate inspect` uses too.
export { bearerOf } from './challenge.ts'
export { type ExamineIo, type ExamineOptions, examine } from './examine.ts'
export { fieldsOf, type JsonFields, jsonIn, objectIn, textsIn } from './json.ts'
export { isRedirect, type Probe, type ProbeAnswer, prober } from './probe.ts'
export type { HostFinding, Report, Verdict } from './report.ts'
export {
  after,
  LEGACY,
  leave,
  MODERN,
  messageIn,
  modernMeta,
  type RpcReply,
  send,
} from './rpc.ts'
