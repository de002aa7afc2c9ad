export type { Change, Changes } from './changes.ts'
export { localChanges } from './changes.ts'
export type { Complete, Completed } from './completion.ts'
export type {
  Annotations,
  Content,
  Icon,
  ResourceContents,
} from './content.ts'
export type { Caller, Client, Context, LogLevel, SessionStore } from './context.ts'
export type { SessionObject } from './durable.ts'
export { sessionObject } from './durable.ts'
export { durableSessions, sharedSeal } from './durable-sessions.ts'
export { durableStores } from './durable-stores.ts'
export { durableTasks } from './durable-tasks.ts'
export type { ServeOptions } from './http.ts'
export { serve } from './http.ts'
export { serveHttpSse } from './http-sse.ts'
export { durableChanges } from './hub.ts'
export {
  elicit,
  elicitUrl,
  InputRequired,
  listRoots,
  sample,
  together,
} from './input.ts'
export { codes, RpcError } from './jsonrpc.ts'
export type { Limits } from './limits.ts'
export { limits } from './limits.ts'
export { memorySessions, memoryStores, memoryTasks } from './memory.ts'
export { allowsHost, allowsOrigin, FOREIGN, namesHost } from './origin.ts'
export type { Prompt, PromptArgument, PromptMessage } from './prompt.ts'
export type { Listed, Page, Resource } from './resource.ts'
export { noResource } from './resource.ts'
export type { JsonSchema, Schema } from './schema.ts'
export type { Seal } from './seal.ts'
export { sealWith } from './seal.ts'
export type { Server } from './server.ts'
export type { SessionLimits } from './session.ts'
export { sessionLimits } from './session.ts'
export type { Sessions } from './sessions.ts'
export type { StoreLimits } from './store.ts'
export { storeLimits } from './store.ts'
export type { Stores } from './stores.ts'
export type { TaskLimits } from './task.ts'
export { taskLimits } from './task.ts'
export type { Tasks } from './tasks.ts'
export type { Tool, ToolAnnotations } from './tool.ts'
export { ToolError, ToolResult, tool } from './tool.ts'
export { worker } from './worker.ts'
