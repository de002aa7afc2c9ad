import { expect, test } from 'vitest'
import { eachWay } from '../support/example.ts'

// The conformance suite tests everything over HTTP. These tests are about differences over stdio and in a Worker.
eachWay('everything', {}, (way) => {
  test('lists tools, resources, templates and prompts', async () => {
    const client = await way.connect()
    const { tools } = await client.listTools()
    expect(tools.length).toBeGreaterThan(30)
    const { resources } = await client.listResources()
    const { resourceTemplates } = await client.listResourceTemplates()
    const { prompts } = await client.listPrompts()
    expect([resources.length, resourceTemplates.length, prompts.length]).toEqual([3, 1, 5])
    const { contents } = await client.readResource({ uri: resources[1]!.uri })
    expect(contents[0]).toMatchObject({ mimeType: 'image/png', blob: expect.any(String) })
  })

  test('asks the user', async () => {
    const asked: string[] = []
    const client = await way.connect({
      elicitation({ message }) {
        asked.push(message)
        return { action: 'accept', content: { username: 'ada', email: 'ada@example.com' } }
      },
    })
    const result = await client.callTool({
      name: 'test_elicitation',
      arguments: { message: 'Who are you?' },
    })
    expect(asked).toEqual(['Who are you?'])
    expect(result.content[0]).toMatchObject({ text: expect.stringContaining('ada@example.com') })
  })

  test('reports its progress', async () => {
    const client = await way.connect()
    const done: number[] = []
    await client.callTool(
      { name: 'test_tool_with_progress', arguments: {} },
      { onprogress: ({ progress }) => done.push(progress) },
    )
    // The client drops its listener when it reads the answer, sometimes before the last notification.
    expect(done.slice(0, 2)).toEqual([0, 50])
  })
})
