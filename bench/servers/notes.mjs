// Notes in Obsidian: tools that write, a question, resources in pages, and changes.
import { startObsidian } from '../../test/servers/obsidian.ts'
import { attempt, heard, must, PATIENCE_MS } from './check.mjs'
import { example, sdk } from './places.mjs'

const KEY = 'key-of-the-plugin'
const PAGE = 500
const uriOf = (name) => `note://${encodeURIComponent(name)}`
let fake
let checks = 0

export const notes = {
  name: 'notes',
  tidegate: example('notes'),
  sdk: sdk({ entry: 'notes.ts', stdio: 'notes-stdio.ts' }),
  objects: { SESSIONS: 'McpSession', NOTES: 'Notes' },
  async others() {
    fake = await startObsidian(KEY)
    for (let i = 0; i < 20; i++)
      fake.put(`garden/${i}.md`, `Rose ${i}: prune in month ${i}. #roses`)
    return { vars: { OBSIDIAN_URL: fake.url, OBSIDIAN_API_KEY: KEY } }
  },
  cases: {
    search: {
      says: 'notes, search_notes',
      method: 'tools/call',
      params: { name: 'search_notes', arguments: { words: 'rose 7' } },
      right: ({ structuredContent }) => structuredContent?.notes[0]?.name === 'garden/7',
    },
    list: {
      says: 'notes, resources/list',
      method: 'resources/list',
      params: {},
      right: ({ resources }) => resources.length === 20,
    },
  },
  async check(client, seen) {
    const folder = `check ${++checks}`
    const name = `${folder}/Roses & 玫瑰?`
    const uri = uriOf(name)
    const call = (name, args) =>
      client.callTool({ name, arguments: args }, { timeout: PATIENCE_MS }).then((it) => ({
        ...it,
        says: it.content[0].text,
      }))
    const { tools } = await client.listTools()
    must('there are six tools', tools.length === 6)
    must('two of them destroy', tools.filter((it) => it.annotations.destructiveHint).length === 2)

    const created = await call('create_note', { name, text: `${folder}rose #${folder.at(-1)}x` })
    must('a note is made', created.says === `Created ${uri}.`)
    const again = await call('create_note', { name, text: '' })
    must('it is not made twice', again.isError && /^There is a note of this name/.test(again.says))
    await call('update_note', { name, text: 'Water.', how: 'append' })
    const { structuredContent } = await call('read_note', { name })
    must('it is read', structuredContent.uri === uri && structuredContent.text.endsWith('\nWater.'))
    const found = await call('search_notes', { words: `${folder}rose` })
    must('it is found', found.structuredContent.notes[0].uri === uri)
    const recent = await call('get_recent_notes', { limit: 1 })
    must('it is the last', recent.structuredContent.notes[0].name === name)
    const { contents } = await client.readResource({ uri })
    must('it is a resource', contents[0].text === structuredContent.text)
    const missing = await client.readResource({ uri: uriOf('no/note') }).catch((it) => it)
    must('what is not there is not read', missing instanceof Error)
    const outside = await call('read_note', { name: '../a' }).catch((it) => it)
    must('a name leads nowhere else', outside instanceof Error || outside.isError)
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'note://{name}' },
      argument: { name: 'name', value: `${folder}/ROSES` },
    })
    must('names are completed', completion.values.join() === name && completion.total === 1)
    await pages(client)

    const can = { 'tools, resources in pages, completion': 'yes' }
    can['a change is heard'] = await attempt(() =>
      heard(client, seen, uri, () => call('update_note', { name, text: 'Old.', how: 'append' })),
    )
    can['a question'] = await attempt(async () => {
      const has = () => fake.files.has(`${name}.md`)
      seen.answer = { delete: false }
      await call('delete_note', { name })
      must('the person is asked', seen.asked.join() === `Delete the note "${name}"?`)
      must('what they keep is there', has())
      seen.answer = { delete: true }
      await call('delete_note', { name })
      must('what they give up is not', !has())
    })
    fake.files.delete(`${name}.md`)
    return can
  },
}

/** Checks that a long list comes in pages, each note once. */
async function pages(client) {
  const many = Array.from({ length: PAGE }, (_, i) => `many/${i}`)
  for (const it of many) fake.put(`${it}.md`, '')
  const total = fake.files.size
  const listed = new Set()
  let page = {}
  do {
    page = await client.request({ method: 'resources/list', params: { cursor: page.nextCursor } })
    must('a page is no longer than it may be', page.resources.length <= PAGE)
    for (const it of page.resources) listed.add(it.name)
  } while (page.nextCursor)
  for (const it of many) fake.files.delete(`${it}.md`)
  must('all notes are listed', listed.size === total && many.every((it) => listed.has(it)))
}
