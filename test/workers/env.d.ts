declare namespace Cloudflare {
  interface GlobalProps {
    mainModule: typeof import('../../src/index.ts')
    durableNamespaces: 'McpSession' | 'DemoStore' | 'Meter' | 'CallRecords'
  }
  interface Env {
    readonly DEMO: DurableObjectNamespace
    readonly SESSIONS: DurableObjectNamespace
    readonly METER: DurableObjectNamespace<import('../../src/registry/index.ts').Meter>
    readonly RECORDS: DurableObjectNamespace<import('../../src/registry/index.ts').CallRecords>
  }
}
