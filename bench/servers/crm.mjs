// A table of contacts from the demo. Over stdio, the SDK has no Durable Object to store it.
import { attempt, must } from './check.mjs'
import { example, sdk } from './places.mjs'

const vars = {
  CONTACTS_TABLE: 'customers',
  CONTACTS_COLUMNS: 'name, email, country, created_at',
  CONTACTS_EMAIL: 'email',
  CONTACTS_DATE: 'created_at',
}
const email = 'lwazi.novak@example.com'

const { stdio, ...tidegate } = example('crm')

export const crm = {
  name: 'crm',
  tidegate: { ...tidegate, objects: { SESSIONS: 'McpSession', DEMO: 'DemoStore' } },
  sdk: { ...sdk({ entry: 'crm.ts' }), objects: { DEMO: 'DemoStore' } },
  others: async () => ({ vars }),
  cases: {
    contact: {
      says: 'crm, get_contact',
      method: 'tools/call',
      params: { name: 'get_contact', arguments: { email } },
      right: ({ structuredContent }) => structuredContent?.contacts[0].email === email,
    },
  },
  async check(client) {
    const call = (email) => client.callTool({ name: 'get_contact', arguments: { email } })
    const { contents } = await client.readResource({ uri: 'crm://contacts/recent' })
    const newest = JSON.parse(contents[0].text)
    must('the newest are read', newest.length === 20 && contents[0].mimeType === 'application/json')
    const { structuredContent } = await call(` ${newest[0].email} `)
    must('a contact is found', structuredContent.contacts[0].name === newest[0].name)
    const unknown = await call('nobody@example.com')
    must(
      'one that is unknown is a result',
      unknown.isError && /^There is no contact/.test(unknown.content[0].text),
    )
    const draft = { name: 'draft_follow_up', arguments: { email: newest[0].email, about: 'May' } }
    const { messages } = await client.getPrompt(draft)
    must('a prompt is written', messages[0].content.text.includes(`"name": "${newest[0].name}"`))
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'draft_follow_up' },
      argument: { name: 'email', value: '' },
    })
    must('an address is completed', completion.values.length === 100)
    return {
      'a tool, a resource, a prompt, completion': 'yes',
      'how many there are': await attempt(async () =>
        must('the total is 300', completion.total === 300),
      ),
    }
  },
}
