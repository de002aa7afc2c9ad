import { registerHooks } from 'node:module'

// What the OAuth library imports of Workers.
const module = 'export class WorkerEntrypoint {}'

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
