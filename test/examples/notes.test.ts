import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startObsidian } from '../servers/obsidian.ts'
import { eachWay, type Way } from '../support/example.ts'

const KEY = 'key-of-the-plugin'
const fake = await startObsidian(KEY)
afterAll(() => fake.close())
beforeEach(() => {
  fake.files.clear()
  fake.fault = {}
  fake.key = KEY
})

const backends = {
  'in a Durable Object': {},
  'in Obsidian': { OBSIDIAN_URL: fake.url, OBSIDIAN_API_KEY: KEY },
}

interface Listed {
  readonly notes: readonly {
    readonly uri: string
    readonly name: string
    readonly tags?: readonly string[]
    readonly excerpt?: string
  }[]
  readonly total: number
}

/** A client of the server, and a user who agrees to everything or to nothing. */
async function open(way: Way) {
  const asked: string[] = []
  const person = { agrees: true }
  const client = await way.connect({
    elicitation({ message }) {
      asked.push(message)
      return person.agrees ? { action: 'accept', content: { delete: true } } : { action: 'decline' }
    },
  })
  const call = async (name: string, args: object) => {
    const result = await client.callTool({ name, arguments: { ...args } })
    const [first] = result.content as { readonly text: string }[]
    return {
      text: first!.text,
      isError: result.isError ?? false,
      ...(result.structuredContent as object),
    }
  }
  const find = async (name: string, args: object) => (await call(name, args)) as unknown as Listed
  /** Calls a tool that has to succeed. */
  const write = async (tool: string, args: object) =>
    expect(await call(tool, args)).toMatchObject({ isError: false })
  const read = async (uri: string) => {
    const [contents] = (await client.readResource({ uri })).contents
    return (contents as { readonly text: string }).text
  }
  return { client, call, find, write, read, asked, person }
}

let count = 0
/** A folder for this test only, because a Durable Object keeps its notes for the next test. */
const ownFolder = () => `folder${++count}`

describe.each(Object.entries(backends))('%s', (backend, variables) => {
  const isObsidian = backend === 'in Obsidian'

  eachWay('notes', { variables }, (way) => {
    test('a note can be created, found, read and changed, and deleted if the user agrees', async () => {
      const { call, find, write, read, asked, person } = await open(way)
      const folder = ownFolder()
      const name = `${folder}/Roses & 玫瑰 in May?`
      const uri = `note://${encodeURIComponent(name)}`
      await write('create_note', { name, text: `Prune the ${folder}rose.\n` })
      expect(await read(uri)).toBe(`Prune the ${folder}rose.\n`)
      expect(await call('create_note', { name: `${name}.md`, text: '' })).toMatchObject({
        text: 'A note with this name exists: change it with update_note.',
        isError: true,
      })

      const found = await find('search_notes', { words: `PRUNE ${folder}ro` })
      expect(found).toMatchObject({ notes: [{ uri, name }], total: 1 })
      expect(found.notes[0]!.excerpt).toContain(`${folder}rose`)
      expect(await find('search_notes', { words: `${folder}rose absent` })).toMatchObject({
        total: 0,
      })

      await write('update_note', { name, text: 'Water them.', how: 'append' })
      expect(await call('read_note', { name })).toMatchObject({
        uri,
        text: `Prune the ${folder}rose.\nWater them.`,
      })
      await write('update_note', { name, text: `Done, ${folder}.`, how: 'replace' })
      expect(await read(uri)).toBe(`Done, ${folder}.`)
      expect(await find('search_notes', { words: `${folder}rose` })).toMatchObject({ total: 0 })

      person.agrees = false
      await write('delete_note', { name })
      expect(await read(uri)).toBe(`Done, ${folder}.`)
      person.agrees = true
      await write('delete_note', { name })
      expect(await find('search_notes', { words: `done ${folder}` })).toMatchObject({ total: 0 })
      expect(asked).toEqual(Array(2).fill(`Delete the note "${name}"?`))
      await expect(read(uri)).rejects.toThrow('There is no resource at this address.')
      for (const tool of ['update_note', 'delete_note', 'read_note']) {
        expect(await call(tool, { name, text: '', how: 'append' })).toMatchObject({ isError: true })
      }
      expect(asked).toHaveLength(2)
    })

    test('recent notes are sorted by their last change, and can be filtered by tag', async () => {
      const { find, write } = await open(way)
      const folder = ownFolder()
      await write('create_note', { name: `${folder}/a`, text: `one #${folder}/Roses` })
      await write('create_note', { name: `${folder}/b`, text: `#${folder} #${folder}` })
      await write('create_note', { name: `${folder}/c`, text: `#${folder}s x#${folder} #2026` })
      await write('update_note', { name: `${folder}/a`, text: 'two', how: 'append' })
      const names = async (args: object) =>
        (await find('get_recent_notes', args)).notes.map((it) => it.name)
      expect(await names({ limit: 3 })).toEqual(['a', 'c', 'b'].map((it) => `${folder}/${it}`))
      expect(await names({ tag: folder })).toEqual([`${folder}/a`, `${folder}/b`])
      expect(await names({ tag: `#${folder.toUpperCase()}/roses` })).toEqual([`${folder}/a`])
      const { notes, total } = await find('get_recent_notes', { tag: folder, limit: 1 })
      expect([notes.length, total]).toEqual([1, 2])
      expect(notes[0]!.tags).toEqual([`${folder}/roses`])
      expect(await names({ tag: '2026' })).toEqual([])
    })

    test('names are completed, regardless of case', async () => {
      const { client, write } = await open(way)
      const folder = ownFolder()
      for (const it of ['May', 'march', 'June']) {
        await write('create_note', { name: `${folder}/${it}`, text: '' })
      }
      const { completion } = await client.complete({
        ref: { type: 'ref/resource', uri: 'note://{name}' },
        argument: { name: 'name', value: `${folder}/MA` },
      })
      expect(completion.values).toEqual(
        expect.arrayContaining([`${folder}/May`, `${folder}/march`]),
      )
      expect(completion).toMatchObject({ total: 2, hasMore: false })
    })

    test('a client is notified of changes to a subscribed note, and of new and deleted notes', async () => {
      const { client: watcher, write } = await open(way)
      // Over stdio, every client has its own server.
      const hands = way.transport === 'stdio' ? write : (await open(way)).write
      const name = `${ownFolder()}/watched`
      const uri = `note://${encodeURIComponent(name)}`
      const heard: string[] = []
      watcher.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        heard.push(params.uri)
      })
      watcher.setNotificationHandler('notifications/resources/list_changed', () => {
        heard.push('list')
      })
      if (watcher.getProtocolEra() === 'legacy') await watcher.subscribeResource({ uri })
      else await watcher.listen({ resourceSubscriptions: [uri], resourcesListChanged: true })
      await hands('create_note', { name, text: 'a' })
      await vi.waitFor(() => expect(heard).toEqual([uri, 'list']), 20_000)
      await hands('create_note', { name: `${name} not`, text: 'a' })
      await vi.waitFor(() => expect(heard).toEqual([uri, 'list', 'list']), 20_000)
      await hands('update_note', { name, text: 'b', how: 'append' })
      await vi.waitFor(() => expect(heard).toEqual([uri, 'list', 'list', uri]), 20_000)
      await hands('delete_note', { name })
      await vi.waitFor(() => expect(heard.slice(4)).toEqual([uri, 'list']), 20_000)
    })

    test('a long note is read in parts with the tool, and whole as a resource', async () => {
      const { call, read, write } = await open(way)
      const name = `${ownFolder()}/long`
      const part = `${'é'.repeat(99_999)}\n`
      await write('create_note', { name, text: part })
      for (let i = 1; i < 5; i++) await write('update_note', { name, text: part, how: 'append' })
      const whole = part.repeat(5)
      expect((await read(`note://${encodeURIComponent(name)}`)) === whole).toBe(true)
      let text = ''
      for (let next: number | undefined = 0; next !== undefined; ) {
        const piece = (await call('read_note', { name, offset: next })) as {
          text: string
          next?: number
        }
        expect(piece.text.length).toBeLessThanOrEqual(50_000)
        text += piece.text
        next = piece.next
      }
      expect(text === whole).toBe(true)
      if (isObsidian) return
      expect(await call('update_note', { name, text: 'x', how: 'append' })).toMatchObject({
        text: 'A note has at most 500000 characters: start another one.',
        isError: true,
      })
    })

    // The other tests are the same in both eras.
    if (way.era === 'legacy') return

    test('an invalid name is rejected before any request', async () => {
      const { call, read } = await open(way)
      const before = fake.asked.length
      const names = [
        ...['..', '../a', 'a/../../b', 'a/./b', '/a', 'a/', 'a//b', '', '   ', '.md', 'a/.md'],
        ...[
          '.obsidian/app',
          'a/.trash/b',
          '..\\a',
          'a\\b',
          'C:a',
          'a\0',
          'a\nb',
          'a\u202Eb',
          'a\u2028b',
        ],
        ...['\ud800', 'a /b', 'a/ b', 'x'.repeat(201)],
      ]
      for (const name of names) {
        for (const tool of ['create_note', 'read_note', 'delete_note']) {
          const { isError } = await call(tool, { name, text: 'x' })
          expect([name, isError]).toEqual([name, true])
        }
        const uri = `note://${name.isWellFormed() ? encodeURIComponent(name) : name}`
        await expect(read(uri), name).rejects.toThrow()
      }
      expect(fake.asked).toHaveLength(before)
    })

    test('the words of a search are never syntax', async () => {
      const { find, write } = await open(way)
      const word = ownFolder()
      await write('create_note', { name: word, text: `${word} AND "quoted" near(x` })
      for (const words of [
        `"${word}`,
        `${word} "`,
        `${word}*`,
        `(${word}`,
        `${word} AND`,
        `^${word}`,
      ]) {
        const { total } = await find('search_notes', { words })
        // Obsidian also searches for punctuation.
        if (!isObsidian) expect([words, total]).toEqual([words, 1])
      }
      const others = [
        '"',
        '*',
        '-',
        'a OR',
        'NOT',
        `name:${word}x`,
        '{name}:x',
        '\0',
        '""""',
        '💐',
        "';--",
      ]
      for (const words of others) {
        const { notes } = await find('search_notes', { words })
        expect([words, Array.isArray(notes)]).toEqual([words, true])
      }
    })

    test('a list of many notes has pages, with each note once', async () => {
      const { client, write } = await open(way)
      const names = Array.from({ length: isObsidian ? 1_200 : 520 }, (_, i) => `many/${i}`)
      if (isObsidian) for (const name of names) fake.put(`${name}.md`, '')
      else {
        for (let i = 0; i < names.length; i += 20) {
          const some = names.slice(i, i + 20)
          await Promise.all(some.map((name) => write('create_note', { name, text: 'many' })))
        }
      }
      const listed: string[] = []
      let pages = 0
      for (let cursor: string | undefined; pages === 0 || cursor; pages++) {
        const page = await client.request({ method: 'resources/list', params: { cursor } })
        expect(page.resources.length).toBeLessThanOrEqual(500)
        listed.push(...page.resources.map((it) => it.name))
        cursor = page.nextCursor
      }
      expect(pages).toBeGreaterThan(1)
      expect(listed.filter((it) => it.startsWith('many/')).sort()).toEqual(names.sort())
      expect(new Set(listed).size).toBe(listed.length)
    })

    if (!isObsidian) return

    test('existing notes in Obsidian are found, except those without a valid name', async () => {
      const { client, find, read } = await open(way)
      fake.put('Diary/2026-11-01.md', '---\ntags: [Diary, sun]\n---\nA day.')
      fake.put('Diary/photo.png', 'PNG')
      fake.put('.hidden/a.md', 'A day.')
      fake.put('a:b.md', 'A day.')
      fake.put('heading/a.md', 'A day.')
      const { resources } = await client.listResources()
      expect(resources.map((it) => it.name)).toEqual(['Diary/2026-11-01'])
      expect(await find('search_notes', { words: 'day' })).toMatchObject({ total: 1 })
      expect(await find('get_recent_notes', { tag: 'diary' })).toMatchObject({ total: 1 })
      expect(await read('note://Diary%2F2026-11-01')).toContain('A day.')
    })

    test('a name that means a part of a note in Obsidian is rejected', async () => {
      const { call } = await open(way)
      fake.put('a.md', 'whole')
      for (const name of ['a.md/heading/b', 'a.md/block/b', 'x/frontmatter/b']) {
        expect(await call('create_note', { name, text: 'x' })).toMatchObject({
          text: 'A folder cannot be called heading, block or frontmatter: choose another.',
          isError: true,
        })
      }
      expect([...fake.files].map(([path, { text }]) => [path, text])).toEqual([['a.md', 'whole']])
    })

    // The wrangler harness fetches with Node, and answers 500 itself for a failed connection or a redirect.
    const statusOr = (sentence: string) =>
      way.transport === 'http' ? 'refused this with the status 500' : sentence

    test('errors of Obsidian are explained, without its own words', async () => {
      const { client, call } = await open(way)
      for (const [broken, sentence] of [
        [{ key: 'another' }, 'Obsidian refused the key'],
        [{ fault: { drops: true } }, statusOr('Obsidian does not answer')],
        [{ fault: { status: 302 } }, statusOr('refused this with the status 302')],
        [{ fault: { status: 503 } }, 'refused this with the status 503'],
        [{ text: 'x'.repeat(8_000_001) }, 'Obsidian answered with more than 8 MB'],
      ] as const) {
        const { text, ...rest } = { text: 'x', key: KEY, fault: {}, ...broken }
        fake.put('a.md', text)
        Object.assign(fake, rest)
        const outcome = await call('read_note', { name: 'a' })
        expect(outcome).toMatchObject({ text: expect.stringContaining(sentence), isError: true })
        const reading = client.readResource({ uri: 'note://a' })
        const { message } = await reading.catch((error: Error) => error)
        expect(message).toContain(sentence)
        expect(`${outcome.text} ${message}`).not.toMatch(/key-of-the-plugin|stranger|127\.0\.0\.1/)
      }
      fake.fault = {}
      fake.files.set('odd.md', { text: '', mtime: 1e300 })
      await expect(client.listResources()).rejects.toThrow('is not the plugin Local REST API')
      fake.files.delete('odd.md')
      fake.fault = { status: 200 }
      expect(await call('get_recent_notes', {})).toMatchObject({
        text: 'What answers at OBSIDIAN_URL is not the plugin Local REST API.',
        isError: true,
      })
    })

    test('a slow Obsidian causes a timeout', async () => {
      const { call } = await open(way)
      fake.put('a.md', 'text')
      fake.fault = { pauseMs: 6_000 }
      expect(await call('read_note', { name: 'a' })).toMatchObject({
        text: 'Obsidian took longer than 10 seconds: try again.',
        isError: true,
      })
    })
  })
})
