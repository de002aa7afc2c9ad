// Four tools that compute, and a resource template with completion.
import { must } from './check.mjs'
import { example, sdk } from './places.mjs'

export const calculator = {
  name: 'calculator',
  tidegate: example('calculator'),
  sdk: sdk({ entry: 'calculator.ts', stdio: 'calculator-stdio.ts' }),
  cases: {
    add: {
      says: 'calculator, add',
      method: 'tools/call',
      params: { name: 'add', arguments: { a: 7, b: 2 } },
      right: ({ structuredContent }) => structuredContent?.result === 9,
    },
    list: {
      says: 'calculator, tools/list',
      method: 'tools/list',
      params: {},
      right: ({ tools }) => tools.length === 4,
    },
  },
  async check(client) {
    const call = (name, a, b) => client.callTool({ name, arguments: { a, b } })
    for (const [name, result] of Object.entries({
      add: 9,
      subtract: 5,
      multiply: 14,
      divide: 3.5,
    })) {
      must(`${name} is right`, (await call(name, 7, 2)).structuredContent?.result === result)
    }
    const failed = await call('divide', 1, 0)
    must('a fault is a result', failed.isError && failed.content[0].text === 'b must not be zero.')
    const { contents } = await client.readResource({ uri: 'welcome://ada' })
    must('a template is read', contents[0].text.startsWith('Welcome, Ada Lovelace!'))
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'welcome://{userId}' },
      argument: { name: 'userId', value: 'a' },
    })
    must('it is completed', completion.values.join() === 'ada,alan')
    const none = await client.readResource({ uri: 'welcome://eve' }).catch((it) => it)
    must('nobody is welcomed without an id', none instanceof Error)
    return { 'tools, a resource, completion': 'yes' }
  },
}
