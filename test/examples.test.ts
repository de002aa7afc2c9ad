import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { createTestHarness } from 'wrangler'

/** Runs an example as a Worker and speaks to it with the official client, in both eras. */
async function withExample(
  name: string,
  act: (client: Client, answers: boolean[]) => Promise<void>,
): Promise<void> {
  const harness = createTestHarness({
    workers: [
      {
        config: {
          name,
          main: `examples/${name}.ts`,
          compatibility_date: '2026-10-30',
          durable_objects: { bindings: [{ name: 'SESSIONS', class_name: 'McpSession' }] },
          migrations: [{ tag: 'v1', new_sqlite_classes: ['McpSession'] }],
        },
      },
    ],
  })
  const { url } = await harness.listen()
  try {
    for (const mode of ['legacy', 'auto'] as const) {
      const client = new Client(
        { name: 'test', version: '1' },
        { versionNegotiation: { mode }, capabilities: { elicitation: {} } },
      )
      const answers: boolean[] = []
      client.setRequestHandler('elicitation/create', async () => ({
        action: 'accept',
        content: { sure: answers.shift() ?? false },
      }))
      await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)))
      await act(client, answers)
      await client.close()
    }
  } finally {
    await harness.close()
  }
}

const textOf = (result: unknown) =>
  (result as { content: readonly { text: string }[] }).content[0]?.text

test('notes are written, read, completed, and deleted only if the user agrees', () =>
  withExample('notes', async (client, answers) => {
    const call = async (name: string, args: Record<string, string>) =>
      textOf(await client.callTool({ name, arguments: args }))
    await call('write_note', { name: 'shopping', text: 'Milk' })
    const { contents } = await client.readResource({ uri: 'note://shopping' })
    expect(contents).toMatchObject([{ uri: 'note://shopping', text: 'Milk' }])
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'note://{name}' },
      argument: { name: 'name', value: 'sh' },
    })
    expect(completion.values).toEqual(['shopping'])
    answers.push(false, true)
    expect(await call('delete_note', { name: 'shopping' })).toBe('Kept.')
    expect(await call('delete_note', { name: 'shopping' })).toBe('Deleted.')
    await expect(client.readResource({ uri: 'note://shopping' })).rejects.toThrow()
    const { messages } = await client.getPrompt({
      name: 'summarize',
      arguments: { name: 'welcome' },
    })
    expect(messages).toHaveLength(1)
  }))
