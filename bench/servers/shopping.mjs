// The server of docs/mcp.md: a question, long work, and a resource that changes.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { attempt, heard, must, PATIENCE_MS } from './check.mjs'
import { sdk } from './places.mjs'

const root = resolve(import.meta.dirname, '../..')
const place = join(root, 'results/shopping')
const TASKS = 'io.modelcontextprotocol/tasks'

export const shopping = {
  name: 'shopping',
  tidegate: {
    entry: join(place, 'server.ts'),
    objects: { SESSIONS: 'McpSession', LIST: 'ShoppingList' },
    files: ['server', 'list', 'remove', 'resource', 'wait'].map((it) => join(place, `${it}.ts`)),
  },
  sdk: { ...sdk({ entry: 'shopping.ts', files: ['list.ts'] }), objects: { LIST: 'ShoppingList' } },
  /** Writes the files from docs/mcp.md, as its reader has them at the end. */
  write() {
    mkdirSync(place, { recursive: true })
    const page = readFileSync(join(root, 'docs/mcp.md'), 'utf8')
    for (const [, code, name] of page.matchAll(/^```ts\n(\/\/ (\S+)\n.*?)^```$/gms)) {
      writeFileSync(join(place, name), code)
    }
  },
  cases: {
    add: {
      says: 'shopping, add_item',
      method: 'tools/call',
      params: { name: 'add_item', arguments: { item: 'milk' } },
      right: ({ structuredContent }) => structuredContent?.items.includes('milk'),
    },
  },
  async check(client, seen) {
    const uri = 'shopping://list'
    const era = client.getProtocolEra()
    const item = `bread ${era}`
    const call = (name, args = {}) =>
      client.callTool({ name, arguments: args }, { timeout: PATIENCE_MS })
    const has = async () =>
      (await client.readResource({ uri })).contents[0].text.split('\n').includes(item)
    await call('add_item', { item })
    must('the list is read', await has())
    const can = {}
    can['a question'] = await attempt(async () => {
      seen.answer = { remove: false }
      await call('remove_item', { item })
      must('the person is asked', seen.asked.join() === `Take ${item} off the list?`)
      must('what they keep is there', await has())
      seen.answer = { remove: true }
      await call('remove_item', { item })
      must('what they give up is not', !(await has()))
    })
    can['a change is heard'] = await attempt(() =>
      heard(client, seen, uri, () => call('add_item', { item: 'salt' })),
    )
    can['a task'] =
      era === 'legacy'
        ? ''
        : await attempt(async () => {
            const { extensions = {} } = client.getServerCapabilities()
            must('the extension is offered', TASKS in extensions)
          })
    return can
  },
}
