import { expect, test } from 'vitest'
import { eachWay } from '../support/example.ts'

// The referee plays all of it over HTTP. This is about what a pipe and a Worker may do otherwise.
eachWay('everything', {}, (way) => {
  test('shows tools, resources, templates and prompts', async () => {
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

  test('asks the person', async () => {
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

  test('tells of its progress', async () => {
    const client = await way.connect()
    const done: number[] = []
    await client.callTool(
      { name: 'test_tool_with_progress', arguments: {} },
      { onprogress: ({ progress }) => done.push(progress) },
    )
    // The client forgets who listens once it reads the answer, at times before the last news.
    expect(done.slice(0, 2)).toEqual([0, 50])
  })
})
