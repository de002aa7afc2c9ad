import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { markOf } from '../../src/console/schema/changes.ts'
import { startHrana } from '../servers/hrana.ts'
import { TOKEN } from '../servers/sqlite-child.ts'
import { faultsAnywhere } from '../support/axe.ts'
import { chromiumForTests } from '../support/chromium.ts'
import { giveKeyAlways, type Operator, openConsole, operatorAt } from '../support/operator.ts'
import { describePostgres } from '../support/postgres.ts'
import { askApi, OPERATOR_KEY, operated } from '../support/registry-api.ts'
import { callTool, type RunningWorker, startWorker } from '../support/worker.ts'

/** Names and comments that try to be more than text. */
const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '"quoted" \'twice\' & more',
  'طلبات العملاء',
  'x'.repeat(63),
]

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

const setup = `
  create table customers (id integer primary key, name text);
  create table orders (id integer primary key, customer_id integer references customers (id),
    parent_id integer references orders (id), status text not null);
  comment on table orders is '<script>alert(1)</script> of the database';
  comment on column orders.status is '<script>alert(2)</script> of the column';
  ${HOSTILE.map((it) => `create table ${quoted(it)} (id integer primary key, ${quoted(it)} integer references orders (id));`).join('\n')}
  create table "__proto__" (id integer primary key, "__proto__" text, "constructor" text);
  create table wide (id integer primary key);
  do $$ begin for i in 1..999 loop
    execute format('alter table wide add %I text', repeat('&"<', 18) || i);
  end loop; end $$;
  create table one_of_many (id integer primary key);
  do $$ begin for i in 1..9 loop
    execute format('create table part_%s (id integer primary key, many integer references one_of_many (id))', i);
  end loop; end $$;`

const browser = await chromiumForTests()
afterAll(() => browser?.close())

await describePostgres('the schema page', setup, (postgres) => {
  let worker: RunningWorker
  let operator: Operator
  beforeAll(async () => {
    worker = await startWorker(operated)
    const url = postgres.tcp(postgres.reader)
    for (const name of ['shop', 'hostile', 'both']) {
      const databases = name === 'both' ? { main: { url }, second: { url } } : { main: { url } }
      const made = { name, title: `The ${name}`, databases }
      expect((await askApi(worker, 'POST', '/api/endpoints', made)).status).toBe(201)
    }
    operator = await operatorAt(worker.url)
  })
  afterAll(() => worker.close())

  const path = (query: Record<string, string> = {}, name = 'shop') =>
    `/console/endpoints/${name}/schema?${new URLSearchParams({ database: 'main', ...query })}`
  const shown = async (query: Record<string, string> = {}, name = 'shop') => {
    const page = await operator.open(path(query, name))
    expect(page.status).toBe(200)
    expect(Buffer.byteLength(page.text)).toBeLessThan(100_000)
    return page.text
  }

  const glossaryNow = async (name = 'shop') => {
    const { json } = await askApi(worker, 'GET', `/api/endpoints/${name}`)
    return { terms: json.terms ?? {}, ...json.databases.main.glossary }
  }
  const describedTo = async (table: string) => {
    const key = { authorization: `Bearer ${OPERATOR_KEY}` }
    return (await callTool(`${worker.url}/mcp/shop`, 'describe_table', { table }, key))
      .structuredContent
  }

  /** A table's form as its page shows it, with these texts filled in. The key '' means the table itself. */
  async function filled(table: string, texts: Record<string, string>) {
    const html = await shown({ table })
    const entry = decoded(/name="entry" value="([^"]*)"/.exec(html)![1]!)
    const seen = [...html.matchAll(/name="seen" value="([^"]*)"/g)]
      .map(([, it]) => decoded(it!))
      // The last one belongs to the form for terms.
      .slice(0, -1)
    const there = [
      ...html.matchAll(/name="text" value="([^"]*)"|<textarea[^>]*name="text"[^>]*>\n([^<]*)/g),
    ]
    const text = seen.map((it, i) => {
      const [, one, many] = there[i]!
      return texts[it.split(' ').slice(1).join(' ')] ?? decoded(one ?? many ?? '')
    })
    return { entry, seen, text }
  }
  const save = (table: string, form: Awaited<ReturnType<typeof filled>>) =>
    operator.submit(path({ table }).replace('schema?', 'schema/table?'), form)

  test('shows all names and comments from a database as text', async () => {
    const pages = [await shown(), await shown({ table: 'orders' })]
    for (const it of HOSTILE) pages.push(await shown({ table: it }), await shown({ search: it }))
    for (const html of pages) expect(html).not.toMatch(/<img|<script>|onerror=alert[^<&]*>/)
    expect(pages[1]).toContain(
      'Comment in the database: <bdi>&lt;script&gt;alert(1)&lt;/script&gt; of',
    )
    expect(pages[1]).toContain(
      'Comment in the database: <bdi>&lt;script&gt;alert(2)&lt;/script&gt; of',
    )
    expect(pages[2]).toContain('&lt;img src=x onerror=alert(1)&gt;</bdi>')
  })

  test('saves a person’s descriptions, which the model reads', async () => {
    const form = await filled('orders', { '': 'One row for each order.', status: ' Said. ' })
    const { status, location } = await save('orders', form)
    expect([status, location]).toEqual([303, expect.stringContaining('done=saved')])
    const found = await describedTo('orders')
    expect(found.comment).toBe('One row for each order.')
    expect(found.columns.at(-1).comment).toBe('Said.')
    const again = await save('orders', await filled('orders', {}))
    expect(again.location).toContain('done=same')
    await save('orders', await filled('orders', { status: '' }))
    expect((await describedTo('orders')).columns.at(-1).comment).toContain('of the column')
    expect((await glossaryNow()).orders.description).toBe('One row for each order.')
  })

  test.each(HOSTILE)('saves a person’s description of %s', async (name) => {
    const said = `"><script>alert(3)</script>\n${name}`
    expect((await save(name, await filled(name, { '': said, [name]: said }))).status).toBe(303)
    expect((await describedTo(name)).comment).toBe(said)
    expect(await shown({ table: name })).not.toContain('<script>alert')
    expect((await save(name, await filled(name, {}))).location).toContain('done=same')
  })

  test('saves descriptions for names that JavaScript uses itself', async () => {
    const form = await filled('__proto__', { '': 'Said.', constructor: 'Made.' })
    expect([form.entry, form.seen.length]).toEqual(['public.__proto__', 3])
    expect((await save('__proto__', form)).status).toBe(303)
    const found = await describedTo('__proto__')
    expect([found.comment, found.columns.at(-1).comment]).toEqual(['Said.', 'Made.'])
  })

  test('keeps simultaneous changes by two people, and shows where they conflict', async () => {
    const [mine, theirs] = [
      await filled('customers', { id: 'Mine of id.', name: 'Mine of name.' }),
      await filled('customers', { '': 'Theirs.', name: 'Theirs of name.' }),
    ]
    expect((await save('customers', theirs)).status).toBe(303)
    const answer = await save('customers', mine)
    expect(answer.status).toBe(409)
    expect(answer.text).toContain('Someone else described')
    expect((await glossaryNow()).customers).toEqual({
      description: 'Theirs.',
      columns: { id: 'Mine of id.', name: 'Theirs of name.' },
    })
    // The conflict page keeps the typed text, and saves it now.
    expect(answer.text).toContain('value="Mine of name."')
    const seen = [...answer.text.matchAll(/name="seen" value="([^"]*)"/g)].map(([, it]) => it!)
    const second = { ...mine, seen: seen.slice(0, -1), text: ['Theirs.', ...mine.text.slice(1)] }
    expect((await save('customers', second)).status).toBe(303)
    expect((await glossaryNow()).customers.columns.name).toBe('Mine of name.')
  })

  test('reports text that is too long, and keeps what was typed', async () => {
    const form = await filled('orders', { status: 'y'.repeat(501), '': 'Kept in the field.' })
    const { status, text } = await save('orders', form)
    expect(status).toBe(422)
    expect(text).toContain('must have at most 500 characters')
    expect(text).toContain('Kept in the field.')
    expect(text).toContain('yyy')
  })

  const term = (fields: Record<string, string>) =>
    operator.submit(path().replace('schema?', 'schema/terms?'), { do: 'save', ...fields })
  const seenOf = async (name?: string) => {
    const html = await shown(name === undefined ? {} : { term: name })
    return /name="seen" value="([^"]*)"/.exec(html)![1]!
  }

  test('adds, renames and removes terms', async () => {
    const none = await seenOf()
    expect((await term({ term: 'GMV', meaning: 'Sum.', seen: none })).status).toBe(303)
    expect((await term({ term: 'GMV', meaning: 'Other.', seen: none })).status).toBe(409)
    expect((await term({ term: ' ', meaning: 'x', seen: none })).status).toBe(422)
    expect((await glossaryNow()).terms).toEqual({ GMV: 'Sum.' })
    const seen = await seenOf('GMV')
    const renamed = { was: 'GMV', term: '<b>revenue</b>', meaning: 'Sum of it.', seen }
    expect((await term(renamed)).status).toBe(303)
    expect((await glossaryNow()).terms).toEqual({ '<b>revenue</b>': 'Sum of it.' })
    expect(await shown()).toContain('&lt;b&gt;revenue&lt;/b&gt;')
    // A form that shows the old version does not remove the new one.
    const late = { was: '<b>revenue</b>', seen, do: 'remove', term: '', meaning: '' }
    expect((await term(late)).status).toBe(409)
    expect((await term({ ...late, seen: await seenOf('<b>revenue</b>') })).status).toBe(303)
    expect((await glossaryNow()).terms).toEqual({})
  })

  test('shows entries whose table or column is gone, and removes them', async () => {
    const glossary = {
      nowhere: { description: '<i>gone</i>' },
      orders: { columns: { left: 'gone' } },
    }
    await askApi(worker, 'PATCH', '/api/endpoints/shop', { databases: { main: { glossary } } })
    const html = await shown()
    expect(html).toMatch(/Missing tables[\s\S]*nowhere[\s\S]*&lt;i&gt;gone&lt;\/i&gt;/)
    expect(await shown({ table: 'orders' })).toMatch(/Missing columns[\s\S]*left/)
    const remove = (fields: Record<string, string>) =>
      operator.submit(path().replace('schema?', 'schema/gone?'), fields)
    expect((await remove({ entry: 'nowhere' })).status).toBe(303)
    expect((await remove({ entry: 'orders', column: 'left' })).status).toBe(303)
    expect(await shown()).not.toMatch(/Missing (tables|columns)/)
    expect(await glossaryNow()).not.toHaveProperty('nowhere')
    // An entry whose last description is removed is empty, and is not reported as missing.
    const said = { nothing: { description: 'x' } }
    await askApi(worker, 'PATCH', '/api/endpoints/shop', {
      databases: { main: { glossary: said } },
    })
    const empty = { nothing: { description: null } }
    await askApi(worker, 'PATCH', '/api/endpoints/shop', {
      databases: { main: { glossary: empty } },
    })
    expect(await shown()).not.toMatch(/Missing (tables|columns)/)
  })

  test('exports the glossary in a form that the API accepts', async () => {
    const glossary = { orders: { description: 'Said.' } }
    await askApi(worker, 'PATCH', '/api/endpoints/shop', { databases: { main: { glossary } } })
    const { text, headers } = await operator.open('/console/endpoints/shop/schema/glossary.json')
    expect(headers.get('content-disposition')).toBe('attachment; filename="shop-glossary.json"')
    const given = JSON.parse(text)
    expect(given.databases.main.glossary.orders.description).toBe('Said.')
    expect((await askApi(worker, 'PATCH', '/api/endpoints/shop', given)).status).toBe(200)
  })

  test('offers several databases, and works for an endpoint that is switched off', async () => {
    await askApi(worker, 'PATCH', '/api/endpoints/both', { active: false })
    const html = await shown({ database: 'second', table: 'orders' }, 'both')
    expect(html).toContain('Switched off')
    expect(html).toMatch(/aria-current="true"[^>]*>second</)
    expect(html).toContain('name="entry" value="orders"')
  })

  test('shows a glossary from the configuration, and does not change it', async () => {
    const page = await operator.open('/console/endpoints/demo/schema?table=orders')
    expect(page.text).toContain('This endpoint comes from the configuration')
    expect(page.text).not.toMatch(/name="text"|Add a term/)
    const sent = { entry: 'orders', seen: [markOf()], text: ['x'] }
    const refused = await operator.submit('/console/endpoints/demo/schema/table?table=orders', sent)
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining('is from the configuration'),
    ])
  })

  test('explains why there is no schema, and still shows the terms', async () => {
    const url = 'postgres://reader@127.0.0.1:1/shop?sslmode=disable'
    const made = { name: 'away', title: 'Away', databases: { main: { url } } }
    await askApi(worker, 'POST', '/api/endpoints', made)
    const html = await shown({}, 'away')
    expect(html).toContain('The database does not answer.')
    expect(html).toContain('Add a term')
    expect(await shown({ table: 'order' })).toContain('Did you mean orders?')
  })

  test('shows 1,000 columns page by page, whatever their names are', async () => {
    const first = await shown({ table: 'wide' })
    expect(first).toContain('Columns 1 to 40 of 1,000')
    const columns = (html: string) => html.match(/name="seen"/g)!.length - 2
    expect(columns(first)).toBe(40)
    const last = await shown({ table: 'wide', column: '990' })
    expect(last).toContain('Columns 991 to 1,000 of 1,000')
    const long = Array.from({ length: 40 }, (_, i) => [
      `${'&"<'.repeat(18)}${i + 1}`,
      '"&<'.repeat(160),
    ])
    const glossary = { wide: { columns: Object.fromEntries(long) } }
    await askApi(worker, 'PATCH', '/api/endpoints/shop', { databases: { main: { glossary } } })
    const full = await shown({ table: 'wide' })
    expect(full).toContain('More columns')
    const next = /href="([^"]*)">More columns/.exec(full)![1]!
    expect(decoded(next)).toMatch(/column=\d+/)
  })

  test('has a diagram of the relationships, and a list of them', async () => {
    const html = await shown({ table: 'orders' })
    const [picture = ''] = /<svg class="draw wide"[\s\S]*?<\/svg><\/?/.exec(html) ?? []
    expect(picture).toContain('role="img"')
    expect(html).toMatch(/customer_id<\/code> references <a [^>]*><bdi>customers/)
    expect(html).toMatch(
      /parent_id<\/code> references <code dir="auto">id<\/code> in the same table/,
    )
    const many = await shown({ table: 'one_of_many' })
    expect(many).toContain('The diagram shows 6 of 9.')
    for (let i = 1; i <= 9; i++) expect(many).toContain(`<bdi>part_${i}</bdi>`)
  })

  describe.skipIf(!browser)('in a browser', () => {
    const looks = {
      'without a table': {},
      'for a table': { table: 'orders' },
      'for many relationships': { table: 'one_of_many' },
      'for many columns': { table: 'wide' },
      'for a hostile name': { table: HOSTILE[0]! },
      'for a right-to-left name': { table: HOSTILE[2]! },
      'for a search': { search: 'order' },
    }

    test.each(Object.entries(looks))(
      'the page %s has no faults in any theme and width',
      async (_, query) => {
        const page = await browser!.newPage()
        const said: string[] = []
        page.on('console', (it) => said.push(it.text()))
        page.on('dialog', (it) => said.push(it.message()))
        await openConsole(page, worker.url)
        await page.goto(worker.url + path(query))
        expect(await faultsAnywhere(page)).toEqual([])
        expect(said).toEqual([])
        await page.close()
      },
    )

    test('a person describes a table without script, and follows a relationship', async () => {
      const context = await browser!.newContext({ javaScriptEnabled: false })
      const page = await context.newPage()
      await giveKeyAlways(page)
      await openConsole(page, worker.url)
      await page.goto(worker.url + path({ table: 'part_1' }))
      await page
        .getByRole('textbox', { name: 'Description for the model', exact: true })
        .fill('A part.')
      await page.getByRole('textbox', { name: /many$/ }).fill('Which one.')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('status').getByText('Saved.').waitFor()
      expect((await describedTo('part_1')).comment).toBe('A part.')
      await page.locator('svg.wide a').first().click()
      await page.getByRole('heading', { name: 'one_of_many' }).waitFor()
      await context.close()
    })

    test('the page shows the token cost of changes before they are saved', async () => {
      const page = await browser!.newPage()
      await openConsole(page, worker.url)
      await page.goto(worker.url + path({ table: 'part_2' }))
      await page.getByRole('textbox', { name: /many$/ }).fill('x'.repeat(40))
      await page
        .getByText('1 change, not saved yet. The model will read about 10 tokens more')
        .waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('One token is about four characters.').waitFor()
      await page.close()
    })

    test('the diagram on a phone begins with the selected table', async () => {
      const page = await browser!.newPage({ viewport: { width: 360, height: 800 } })
      await openConsole(page, worker.url)
      await page.goto(worker.url + path({ table: 'orders' }))
      expect(await page.locator('svg.wide').isVisible()).toBe(false)
      const first = page.locator('svg.narrow text.name').first()
      expect(await first.textContent()).toContain('orders')
      expect((await first.boundingBox())!.x).toBeGreaterThan(0)
      await page.close()
    })
  })
})

describe('the schema page for 5,000 tables with names of 200 characters', () => {
  const names = Array.from({ length: 5_000 }, (_, i) => {
    const letters = ['"&<', 'طلب', '𝔘x', "'\\>"][i % 4]!
    return `${String(i).padStart(4, '0')}${letters.repeat(70)}`.slice(0, 200).toWellFormed()
  })
  let hrana: Awaited<ReturnType<typeof startHrana>>
  let worker: RunningWorker
  let operator: Operator
  beforeAll(async () => {
    hrana = await startHrana([
      `create table ${quoted(names[0]!)} (id integer primary key)`,
      ...names
        .slice(1)
        .map(
          (it) =>
            `create table ${quoted(it)} (id integer primary key, ${quoted(it)} integer references ${quoted(names[0]!)} (id))`,
        ),
    ])
    worker = await startWorker(operated)
    const url = `libsql://127.0.0.1:${hrana.port}?authToken=${TOKEN}`
    // A busy machine is not a reason to fail.
    const caps = { timeoutMs: 55_000 }
    const made = { name: 'large', title: 'Large', databases: { main: { url } }, caps }
    expect((await askApi(worker, 'POST', '/api/endpoints', made)).status).toBe(201)
    operator = await operatorAt(worker.url)
  }, 120_000)
  afterAll(async () => {
    await worker?.close()
    hrana?.close()
  })

  const shown = async (href: string) => {
    const page = await operator.open(href)
    expect(page.status).toBe(200)
    expect(Buffer.byteLength(page.text)).toBeLessThan(100_000)
    return page.text
  }
  const path = (query: Record<string, string>) =>
    `/console/endpoints/large/schema?${new URLSearchParams(query)}`

  test('stays small, page by page, and skips no table', async () => {
    let html = await shown(path({}))
    expect(html).toContain('5,000 tables and views')
    let seen = 0
    for (let i = 0; i < 3; i++) {
      const [, from = '', to = ''] = /(\d+) to (\d+) of 5,000/.exec(html) ?? []
      expect(Number(from)).toBe(seen + 1)
      seen = Number(to)
      html = await shown(decoded(/href="([^"]*)">More</.exec(html)![1]!))
    }
    expect(await shown(path({ search: '4999' }))).toContain('4999')
  }, 120_000)

  test('shows each table, including a table with 4,999 relationships', async () => {
    for (const table of names.slice(0, 5)) {
      const html = await shown(path({ table }))
      expect(html).toContain('name="entry"')
    }
    expect(await shown(path({ table: names[0]! }))).toMatch(/The diagram shows 6 of/)
  }, 120_000)
})

/** HTML text as a browser reads it. */
const decoded = (html: string) =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
