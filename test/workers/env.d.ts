declare namespace Cloudflare {
  interface GlobalProps {
    mainModule: typeof import('../../src/index.ts')
    durableNamespaces: 'McpSession' | 'DemoStore'
  }
  interface Env {
    readonly DEMO: DurableObjectNamespace
    readonly SESSIONS: DurableObjectNamespace
  }
}
