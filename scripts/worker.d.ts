/** The Worker: the gateway over HTTP. docs/package.md has the bindings that it needs. */
declare const worker: {
  fetch(request: Request, env: object, context?: object): Response | Promise<Response>
}
export default worker

/** A class of Durable Objects, for the platform to make. */
declare class PlatformObject {
  /** By this the types of Workers know such a class. */
  readonly __DURABLE_OBJECT_BRAND: never
  constructor(state: object, env: object)
  fetch(request: Request): Promise<Response>
}

/** The session of a client, a task or a store. */
export class McpSession extends PlatformObject {}

/** Endpoints, keys and groups that are added while it runs. */
export class Registry extends PlatformObject {}

/** The authorization server, at which people sign in. */
export class Authorization extends PlatformObject {}

/** Counts what the endpoints' limits need. */
export class Meter extends PlatformObject {}

/** Records of calls. */
export class CallRecords extends PlatformObject {}

/** The demo database. */
export class DemoStore extends PlatformObject {}
