/** The Worker: the gateway over HTTP. docs/package.md lists its bindings. */
declare const worker: {
  fetch(request: Request, env: object, context?: object): Response | Promise<Response>
}
export default worker

/** A Durable Object class, which the platform instantiates. */
declare class PlatformObject {
  /** Brand by which the Workers types recognize such a class. */
  readonly __DURABLE_OBJECT_BRAND: never
  constructor(state: object, env: object)
  fetch(request: Request): Promise<Response>
}

/** A client's session, a task or a store. */
export class McpSession extends PlatformObject {}

/** Endpoints, keys and groups that are added while it runs. */
export class Registry extends PlatformObject {}

/** The authorization server, where people sign in. */
export class Authorization extends PlatformObject {}

/** Counters for the endpoints' limits. */
export class Meter extends PlatformObject {}

/** Records of calls. */
export class CallRecords extends PlatformObject {}

/** The demo database. */
export class DemoStore extends PlatformObject {}
