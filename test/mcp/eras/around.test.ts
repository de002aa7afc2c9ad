import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { type Context, type Server, tool } from '../../../src/mcp/index.ts'
import { ask, LEGACY, MODERN, requestOf } from '../../support/mcp.ts'

interface Noted extends Context {
  readonly note?: string
}

/** A server whose handlers return the note in their context. */
const server = (around: Server['around']): Server => ({
  ...{ name: 'noted', version: '1.0.0', around },
  tools: [
    tool({
      ...{ name: 'note', description: 'A note.', input: z.object({}) },
      run: async (_, it: Noted) => `${it.note}`,
    }),
  ],
  resources: [{ uri: 'note://it', name: 'it', read: async (_, it: Noted) => `${it.note}` }],
})

const requests = [
  { method: 'tools/call', params: { name: 'note', arguments: {} } },
  { method: 'resources/read', params: { uri: 'note://it' } },
].flatMap((request) => [MODERN, LEGACY.at(-1)!].map((version) => ({ version, ...request })))

test.each(requests)(
  'a handler for $method gets the context that `around` passes on, in $version',
  async ({ version, ...request }) => {
    const own: Server['around'] = (_, context, run) => run({ ...context, note: 'ours' } as Noted)
    const { result } = (await ask({ server: server(own) }, requestOf(version, request))).body
    expect(JSON.stringify(result)).toContain('"ours"')
    const none = await ask({ server: server((_, __, run) => run()) }, requestOf(version, request))
    expect(JSON.stringify(none.body.result)).toContain('"undefined"')
  },
)
