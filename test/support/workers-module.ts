import { registerHooks } from 'node:module'

// The exports of Workers that the OAuth library and the objects of this project import.
const module = `
  export class WorkerEntrypoint {}
  export class DurableObject {}
  export const waitUntil = () => {}`

registerHooks({
  resolve: (name, context, next) =>
    name === 'cloudflare:workers'
      ? { url: `data:text/javascript,${encodeURIComponent(module)}`, shortCircuit: true }
      : next(name, context),
})

// This flag tells the library that its fetch cannot reach private hosts.
Object.assign(globalThis, {
  Cloudflare: { compatibilityFlags: { global_fetch_strictly_public: true } },
})
