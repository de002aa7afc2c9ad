export { durableChanges } from './durable/hub.ts'
export type { SessionObject } from './durable/object.ts'
export { sessionObject } from './durable/object.ts'
export type { SessionObjectOptions } from './durable/object-roles.ts'
export type {
  ObjectId,
  ObjectNamespace,
  ObjectState,
  ObjectStorage,
  ObjectValues,
  OpenedSocket,
} from './durable/object-state.ts'
export { durableSessions, sharedSeal } from './durable/sessions.ts'
export { durableStores } from './durable/stores.ts'
export { durableTasks } from './durable/tasks.ts'
export { allowsHost, allowsOrigin, FOREIGN_ORIGIN, isHost, namesHost } from './eras/origin.ts'
export type { Change, Changes } from './features/changes.ts'
export { localChanges } from './features/changes.ts'
export type { Complete, CompletionValues } from './features/completion.ts'
export type {
  Annotations,
  Content,
  Icon,
  ResourceContents,
} from './features/content.ts'
export type { Caller, Client, Context, LogLevel, SessionStore } from './features/context.ts'
export {
  elicit,
  elicitUrl,
  InputRequired,
  listRoots,
  sample,
  together,
} from './features/input.ts'
export type { Prompt, PromptArgument, PromptMessage } from './features/prompt.ts'
export type { ListedResource, Page, Resource } from './features/resource.ts'
export { noResource } from './features/resource.ts'
export type { Server } from './features/server.ts'
export type { Around, CallTarget, Tool, ToolAnnotations } from './features/tool.ts'
export { ToolResult, tool } from './features/tool.ts'
export type { ServeOptions } from './http.ts'
export { serve } from './http.ts'
export { memorySessions, memoryStores, memoryTasks } from './memory.ts'
export { serveHttpSse } from './sessions/http-sse.ts'
export type { SessionLimits } from './sessions/session-limits.ts'
export { sessionLimits } from './sessions/session-limits.ts'
export type { Sessions } from './sessions/sessions.ts'
export type { Seal } from './state/seal.ts'
export { sealWith } from './state/seal.ts'
export type { StoreLimits, Stores } from './state/stores.ts'
export { storeLimits } from './state/stores.ts'
export type { TaskLimits, Tasks } from './state/tasks.ts'
export { taskLimits } from './state/tasks.ts'
export type { Pipe, StdioOptions } from './stdio.ts'
export { serveStdio } from './stdio.ts'
export { fromBase64Url, toBase64Url } from './wire/base64-url.ts'
export { drain, MAX_DRAINED_BYTES, piecesOf, readBody } from './wire/body.ts'
export { codes, RpcError, ToolError, unexpected } from './wire/jsonrpc.ts'
export type { Limits } from './wire/limits.ts'
export { limits } from './wire/limits.ts'
export { Refusal, refused } from './wire/refusal.ts'
export type { JsonSchema, Schema } from './wire/schema.ts'
export { worker } from './worker.ts'
