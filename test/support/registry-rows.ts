import type { EndpointEntry, GroupEntry, KeyEntry } from '../../src/registry/index.ts'
import { makeKey } from '../../src/registry/keys/key.ts'
import type { PlainWorker } from './plain-worker.ts'

const entry = '../../test/support/registry-worker.ts'

/** The entry for `startPlainWorker` that {@link rowsOf} needs. */
export const REGISTRY_WORKER = entry

/** Writes rows into the registry of a Worker. */
export function rowsOf(worker: PlainWorker) {
  const order = async (name: string, input: object) => {
    const body = JSON.stringify({ order: name, input })
    const answer = await worker.send(['POST /test/registry HTTP/1.1', 'Host: localhost'], body)
    const done = answer.status === 200 && /"done"/.test(answer.body)
    if (!done) throw new Error(`${name}: ${answer.status} ${answer.body}`)
  }
  const changes = new Map<string, number>()
  return {
    order,
    async endpoint(
      name: string,
      more: Partial<EndpointEntry> & {
        access?: 'key' | 'groups' | 'public'
        databases?: object
      } = {},
    ) {
      const { access = 'key', databases, ...others } = more
      const own = databases && { databases, search: undefined }
      const value = { ...DEFAULTS, name, title: `The ${name}`, access, ...own }
      const was = changes.get(name)
      const times = { createdAt: Date.now(), changedAt: Math.max(Date.now(), (was ?? 0) + 1) }
      const row = { name, active: true, value, credentials: {}, ...times, ...others }
      await order('putEndpoint', { entry: row, was })
      changes.set(name, row.changedAt)
    },
    /** Adds a new key, and returns its text. */
    async key(endpoints: readonly string[], more: Partial<KeyEntry> = {}) {
      const { key, id, hash } = await makeKey()
      const times = { createdAt: Date.now(), changedAt: Date.now() }
      const fields = { id, hash, label: '', endpoints, scopes: ['db:read'], ...times }
      await order('putKey', { entry: { ...fields, ...more } })
      return { key, id, revoke: () => order('deleteKey', { id }) }
    },
    async group(name: string, more: Partial<GroupEntry>) {
      const fields = { name, people: [], keys: [], endpoints: {}, changedAt: Date.now() }
      await order('putGroup', { entry: { ...fields, credentials: {}, ...more } })
    },
  }
}

const DEFAULTS = {
  databases: { demo: { url: 'demo:' } },
  search: [{ table: 'products', title: 'name', text: ['name'], database: 'demo' }],
  sql: true,
  format: 'json',
  caps: { rows: 200, bytes: 10_000, cell: 1_000, samples: 0, timeoutMs: 20_000 },
  keep: { rows: 2_000, bytes: 250_000, repeatSeconds: 0 },
  records: { literals: false, count: 20_000, days: 30 },
} as unknown as EndpointEntry['value']
