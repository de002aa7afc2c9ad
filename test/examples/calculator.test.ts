import { expect, test } from 'vitest'
import { eachWay } from '../support/example.ts'

eachWay('calculator', {}, (way) => {
  test('has four tools that calculate with two numbers', async () => {
    const client = await way.connect()
    const { tools } = await client.listTools()
    expect(tools.map((it) => it.name)).toEqual(['add', 'subtract', 'multiply', 'divide'])
    const results = tools.map(({ name }) => client.callTool({ name, arguments: { a: 7, b: 2 } }))
    const made = (await Promise.all(results)).map((it) => it.structuredContent)
    expect(made).toEqual([9, 5, 14, 3.5].map((result) => ({ result })))
  })

  test('explains errors that the model can fix', async () => {
    const client = await way.connect()
    const saysOf = async (name: string, a: unknown, b: unknown) => {
      const { isError, content } = await client.callTool({ name, arguments: { a, b } })
      expect(isError).toBe(true)
      return content[0]
    }
    expect(await saysOf('divide', 1, 0)).toMatchObject({ text: 'b must not be zero.' })
    expect(await saysOf('multiply', 1e308, 10)).toMatchObject({
      text: 'The result is not a number, or is larger than 1.8e308.',
    })
    expect(await saysOf('add', 'one', 2)).toMatchObject({ text: expect.stringContaining('a') })
  })

  test('completes the ID of a user, and welcomes the user', async () => {
    const client = await way.connect()
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map((it) => it.uriTemplate)).toEqual(['welcome://{userId}'])
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'welcome://{userId}' },
      argument: { name: 'userId', value: 'a' },
    })
    expect(completion.values).toEqual(['ada', 'alan'])
    const { contents } = await client.readResource({ uri: 'welcome://ada' })
    expect(contents).toMatchObject([
      { mimeType: 'text/plain', text: expect.stringMatching(/^Welcome, Ada Lovelace!/) },
    ])
  })

  test('has no resource for an unknown ID', async () => {
    const client = await way.connect()
    for (const id of ['eve', 'constructor', '%00']) {
      await expect(client.readResource({ uri: `welcome://${id}` })).rejects.toThrow(/no resource/)
    }
  })
})
