/** The Worker that `node-child.ts` runs. */
declare module 'test:target' {
  import type { ObjectClass } from '../../src/node/objects/open-object.ts'

  export const McpSession: ObjectClass
  const worker: { fetch(request: Request, env: object): Response | Promise<Response> }
  export default worker
}
