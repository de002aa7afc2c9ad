declare namespace Cloudflare {
  interface GlobalProps {
    mainModule: typeof import('../../src/index.ts')
    durableNamespaces: 'McpSession' | 'DemoStore' | 'Registry' | 'Meter' | 'CallRecords'
  }
  interface Env {
    readonly DEMO: DurableObjectNamespace
    readonly SESSIONS: DurableObjectNamespace
    readonly REGISTRY: DurableObjectNamespace
    readonly METER: DurableObjectNamespace<import('../../src/registry/index.ts').Meter>
    readonly RECORDS: DurableObjectNamespace<import('../../src/registry/index.ts').CallRecords>
  }
}
