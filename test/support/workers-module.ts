import { registerHooks } from 'node:module'

// What the OAuth library, and the objects of this project, import of Workers.
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

// By it the library knows that its fetch reaches no private host.
Object.assign(globalThis, {
  Cloudflare: { compatibilityFlags: { global_fetch_strictly_public: true } },
})
