import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumForTests } from '../support/chromium.ts'
import { giveKeyAlways, type Operator, openConsole, operatorAt } from '../support/operator.ts'
import { describePostgres } from '../support/postgres.ts'
import { askApi, operated } from '../support/registry-api.ts'
import type { Shown } from '../support/visitor.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

const setup = `
  create table orders (id int, country text, total int);
  insert into orders values (1, 'DE', 7), (2, 'DE', 5), (3, 'NO', 9);
  create table wide (${Array.from({ length: 1_000 }, (_, i) => `"<b>${i}" text default '<"&'`)});
  insert into wide default values;
`
const AT = '/console/endpoints/shop/workbench'
const REVENUE = 'select country, sum(total) as revenue from orders group by 1 order by 1'
const MAX_PAGE_BYTES = 100_000

/** A page's words as a person reads them, with quotes decoded. */
const read = ({ words }: Shown) =>
  words.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>')

const bytesOf = ({ text }: Shown) => new TextEncoder().encode(text).length

await describePostgres('the Workbench', setup, (postgres) => {
  let worker: RunningWorker
  let ada: Operator
  const api = (method: string, path: string, body?: unknown) => askApi(worker, method, path, body)
  beforeAll(async () => {
    const shop = { demo: { url: 'demo:' } }
    const configured = { name: 'configured', title: 'Configured', databases: shop }
    const several = {
      name: 'several',
      title: 'Several',
      databases: { ...shop, other: { url: 'demo:' } },
    }
    const ENDPOINTS = JSON.stringify([configured, several])
    worker = await startWorker({ ...operated, ENDPOINTS })
    const databases = { main: { url: `${postgres.tcp(postgres.reader)}?sslmode=disable` } }
    const endpoint = { name: 'shop', title: 'Web <b>shop</b>', databases }
    expect((await api('POST', '/api/endpoints', endpoint)).status).toBe(201)
    ada = await operatorAt(worker.url)
  })
  afterAll(() => worker?.close())

  const run = (tool: string, args: Readonly<Record<string, string>>, at = AT) =>
    ada.submit(at, {
      tool,
      ...Object.fromEntries(Object.entries(args).map(([name, it]) => [`a.${name}`, it])),
    })

  test('shows every tool as the model sees it, with a form for its arguments', async () => {
    const { status, text, words } = await ada.open(AT)
    expect(status).toBe(200)
    for (const name of ['list_tables', 'describe_table', 'query_table', 'query', 'explain_query']) {
      expect(text).toContain(`href="${AT}?tool=${name}"`)
    }
    expect(words).toContain('ONE read-only statement')
    expect(words).toContain('read-only')
    expect(text).toContain('Web &lt;b&gt;shop&lt;/b&gt;')
    const table = await ada.open(`${AT}?tool=query_table`)
    expect(table.text).toMatch(/<input[^>]*name="a\.table"[^>]*required/)
    expect(table.text).toMatch(/<input[^>]*name="a\.limit"[^>]*type="number"/)
    expect(table.words).toContain('list of objects, as JSON')
  })

  test('runs a tool, and shows its result as a table, as text and as JSON', async () => {
    const shown = await run('query', { sql: REVENUE })
    const { status, text, words } = shown
    expect(status).toBe(200)
    expect(words).toContain('2 rows')
    expect(words).toMatch(/about \d+ tokens · \d+ bytes · complete/)
    expect(text).toMatch(/<td dir="auto">DE<\/td>/)
    expect(read(shown)).toContain('{"jsonrpc":"2.0","id":1,"result":{')
    expect(words).toContain('Verify this question')
    // The statement to save is the one that ran, not text typed since.
    expect(text).toMatch(/<pre class="code"[^>]*>\s*select country/)
    // The form keeps the statement that ran.
    expect(text).toMatch(/<textarea[^>]*name="a\.sql"[^>]*>select country/)
  })

  test('sends arguments with the types in the schema', async () => {
    const sent = {
      ...{ table: 'orders', columns: '["country"]', aggregates: '["sum(total)"]' },
      ...{ where: '[{"column":"id","op":"gt","value":"1"}]', limit: '5', offset: '' },
    }
    expect((await run('query_table', sent)).words).toContain('2 rows')
    const { status, words, text } = await run('query_table', { ...sent, where: '{', limit: 'many' })
    expect(status).toBe(422)
    expect(words).toContain('where must be JSON.')
    expect(words).toContain('limit must be a number.')
    expect(text).toMatch(
      /name="a\.limit" aria-describedby="argument-limit-fault" aria-invalid="true"/,
    )
    expect(text).not.toContain('id="answer"')
    expect((await run('query_table', { table: ' ' })).words).toContain('no table')
  })

  test('lets the operator select a database if an endpoint has several', async () => {
    const at = '/console/endpoints/several/workbench'
    const { text } = await ada.open(at)
    expect(text).toMatch(/<select id="argument-database" name="a\.database">/)
    const shown = await run('query', { sql: 'select 1 as n', database: '"other"' }, at)
    expect(shown.words).toContain('1 row')
    expect(shown.text).toContain('<option value="&quot;other&quot;" selected="">')
    expect(read(shown)).toContain('"database": "other"')
    const page = async () => (await ada.open(at)).text
    await expect.poll(page, { timeout: 20_000 }).toContain('select ? as n')
    const [, id] = /again=([^"]+)" dir="auto">select \?/.exec(await page())!
    const again = await ada.open(`${at}?again=${id}`)
    expect(again.text).toContain('<option value="&quot;other&quot;" selected="">')
    expect(again.words).toContain('has no values. Enter one for each ?')
  })

  test('shows a tool error as the model reads it', async () => {
    const shown = await run('query', { sql: 'select amount from orders' })
    const { status, words } = shown
    expect([status, words]).toEqual([200, expect.stringContaining('Failed')])
    expect(read(shown)).toContain('The model reads: column "amount" does not exist (42703)')
    expect(words).not.toContain('Verify this question')
    expect((await run('query', { sql: 'drop table orders' })).words).toContain('Failed')
    expect((await run('nothing', {})).words).toContain('This endpoint has no tool named nothing.')
  })

  test('explains a statement without running it', async () => {
    const fields = { tool: 'query', 'a.sql': REVENUE, explain: '1' }
    const { words } = await ada.submit(AT, fields)
    expect(words).toMatch(/explain_query · [\d,]+ ms/)
    expect(words).toMatch(/Aggregate/)
  })

  test('fills the form from a URL, and never runs it', async () => {
    const given = { sql: 'select $1', params: ['"><script>alert(1)</script>'] }
    const query = new URLSearchParams({ tool: 'query', arguments: JSON.stringify(given) })
    const { text } = await ada.open(`${AT}?${query}`)
    expect(text).toMatch(/<textarea[^>]*name="a\.sql"[^>]*>select \$1</)
    expect(text).not.toContain('<script>alert')
    expect(text).not.toContain('id="answer"')
    const said = async (json: string) =>
      (await ada.open(`${AT}?${new URLSearchParams({ tool: 'query', arguments: json })}`)).words
    expect((await ada.open(`${AT}?done=constructor`)).text).not.toContain('role="status"')
    expect(await said('{')).toContain('The arguments in the address are not JSON.')
    expect(await said('[1]')).toContain('are not an object')
    expect(await said('{"sql":"select 1","nothing":1}')).toContain('has no argument nothing')
    expect(await said(JSON.stringify({ sql: `${'x'.repeat(11_000)}` }))).toContain('too long')
  })

  test('lists the last runs, whose statements can fill the form again', async () => {
    await api('PATCH', '/api/endpoints/shop', { records: { literals: true } })
    await run('query', { sql: "select id from orders where country = 'NO'" })
    const page = async () => (await ada.open(AT)).text
    await expect.poll(page, { timeout: 20_000 }).toContain('country = &#39;NO&#39;')
    const [, id] = /again=([^"]+)" dir="auto">select id/.exec(await page())!
    const again = await ada.open(`${AT}?again=${id}`)
    expect(again.text).toMatch(/<textarea[^>]*>select id from orders where country = &#39;NO&#39;/)
    await api('PATCH', '/api/endpoints/shop', { records: { literals: false } })
    expect((await ada.open(`${AT}?again=0`)).words).toContain('no longer in the history')
  })

  describe('a verified question', () => {
    const save = (fields: Readonly<Record<string, string>>) =>
      ada.submit(`${AT}/questions`, { as: 'tool', params: '', database: '', fixes: '', ...fields })
    const listed = async () => (await ada.open(`${AT}?tool=revenue`)).words

    test('is saved after a run, served as a tool, and shown with its checker', async () => {
      const ran = await run('query', { sql: REVENUE })
      expect(ran.text).toContain(`name="sql" value="${REVENUE}"`)
      const question = 'What did we earn in each country?'
      const saved = await save({ question, name: 'revenue', sql: REVENUE })
      expect([saved.status, saved.location]).toEqual([303, `${AT}?tool=query&done=saved`])
      expect((await ada.open(saved.location!)).words).toContain('Saved.')
      expect(await listed()).toContain(`${question} Checked by operator on`)
      expect((await run('revenue', {})).words).toContain('2 rows')
      const { words } = await ada.open(`${AT}/questions/revenue`)
      expect(words).toContain('checked by operator on 20')
      expect(words).toContain(REVENUE)
    })

    test('keeps its placeholder values, and derives its name from the question', async () => {
      const ran = await run('query', { sql: 'select $1::int as n', params: '[41]' })
      expect(ran.text).toContain('name="params" value="[41]"')
      const sql = 'select $1::int as n'
      await save({ question: 'What is the number, please?', sql, params: '[41]', as: 'example' })
      const { json } = await api('GET', '/api/endpoints/shop/questions')
      expect(json.questions[1]).toMatchObject({
        ...{ name: 'what_is_the_number_please', as: 'example', params: [41], state: 'served' },
      })
      expect((await ada.open(AT)).words).toContain('What is the number, please?')
    })

    test('is not saved with a fault, which is shown', async () => {
      const faulty = async (fields: Readonly<Record<string, string>>) => {
        const { status, words, text } = await save({ question: 'Why?', name: 'why', ...fields })
        expect(status).toBe(422)
        expect(text).toContain('value="Why?"')
        return words
      }
      expect(await faulty({ sql: 'delete from orders' })).toContain('cannot run')
      expect(await faulty({ sql: REVENUE, name: 'Why not' })).toContain('must be lower case')
      expect(await faulty({ sql: REVENUE, name: 'revenue' })).toContain('Choose another name')
      expect(await faulty({ sql: REVENUE, name: 'query' })).toContain('two tools called query')
      expect(await faulty({ sql: REVENUE, as: 'everything' })).toContain('as ')
      const { words } = await save({ question: '', sql: REVENUE })
      expect(words).toContain('Enter the question.')
    })

    test('is shown as broken when its column is renamed, then fixed and removed', async () => {
      await postgres.admin('alter table orders rename column total to amount')
      const page = await ada.open(AT)
      expect(read(page)).toContain('revenue is not served: column "total" does not exist')
      const fix = await ada.open(`${AT}?question=revenue`)
      expect(fix.text).toContain('name="fixes" value="revenue"')
      const question = 'What did we earn in each country?'
      const same = await save({ question, name: 'revenue', sql: REVENUE, fixes: 'revenue' })
      expect([same.status, same.words]).toEqual([422, expect.stringContaining('It is not served')])
      const sql = REVENUE.replace('total', 'amount')
      const ran = await ada.submit(AT, { tool: 'query', fixes: 'revenue', 'a.sql': sql })
      expect(ran.words).toContain('Fix the verified question revenue')
      const saved = await save({ question, name: 'revenue', sql, fixes: 'revenue' })
      expect(saved.status).toBe(303)
      expect((await ada.open(AT)).words).not.toContain('revenue is not served')
      const removed = await ada.submit(`${AT}/questions/revenue/remove`)
      expect(removed.location).toBe(`${AT}?done=removed`)
      expect((await ada.open(`${AT}/questions/revenue`)).status).toBe(404)
      await postgres.admin('alter table orders rename column amount to total')
    })

    test('for a configured endpoint is shown as JSON to copy', async () => {
      const at = '/console/endpoints/configured/workbench'
      const shown = await run('query', { sql: 'select count(*) from orders' }, at)
      expect(shown.words).toContain('This endpoint comes from the configuration')
      expect(read(shown)).toContain('"sql": "select count(*) from orders"')
    })

    test('can be changed only by a form from the Console', async () => {
      const { words } = await ada.open(`${AT}/questions/what_is_the_number_please/remove`)
      expect(words).toContain('Its statement and signature are deleted.')
      const forged = await ada.send(`${AT}/questions/what_is_the_number_please/remove`, {})
      expect(forged.status).toBe(403)
      const { json } = await api('GET', '/api/endpoints/shop/questions')
      expect(json.questions).toHaveLength(1)
    })
  })

  test.each([
    ['a cell of 10 MB', "select repeat('<\"&', 3500000) as cell"],
    ['1,000 columns', 'select * from wide'],
    [
      '200 rows of quotes',
      `select repeat('"', 400) as a, repeat('<', 400) as b from generate_series(1, 500)`,
    ],
    ['a statement of nothing but quotes', `select '${'"'.repeat(1_500)}' as a`],
  ])('shows %s on a page of bounded size', async (_, sql) => {
    await api('PATCH', '/api/endpoints/shop', { caps: { bytes: 80_000, cell: 80_000 } })
    const shown = await run('query', { sql })
    expect(shown.status).toBe(200)
    expect(shown.words).toContain('Answer')
    expect(bytesOf(shown)).toBeLessThan(MAX_PAGE_BYTES)
    expect(shown.text).not.toMatch(/<b>\d|<"&/)
    await api('PATCH', '/api/endpoints/shop', { caps: null })
  })

  test('rejects a statement that is too long for its form', async () => {
    const shown = await run('query', { sql: `select '${'"'.repeat(100_000)}'` })
    expect(shown.words).toContain('too long for this form')
    expect(bytesOf(shown)).toBeLessThan(MAX_PAGE_BYTES)
  })

  test('shows markup and right-to-left text as text', async () => {
    const sql = `select '<img src=x onerror=alert(1)>' as "<script>", 'שלום' as "עברית", '\u202Eevil' as c`
    const { text } = await run('query', { sql })
    expect(text).toContain('<td dir="auto">&lt;img src=x onerror=alert(1)&gt;</td>')
    expect(text).toMatch(/<th scope="col" dir="auto">\s*עברית/)
    expect(text).not.toContain('<img')
  })

  test('stays small with the maximum number of tools and questions', async () => {
    const tools = Array.from({ length: 95 }, (_, i) => ({
      ...{ name: `tool_with_quite_a_long_name_${i}`, sql: 'select 1' },
      ...{ description: '<"&'.repeat(300) },
    }))
    const built = ['list_tables', 'describe_table', 'query_table', 'query', 'explain_query']
    const questions = Array.from({ length: 50 }, (_, i) => ({
      ...{ name: `question_with_a_long_name_${i}`, sql: 'select 1', as: 'tool' },
      ...{ question: '<"&'.repeat(90) },
    }))
    const many = { tools: [...built, ...tools], questions }
    const { status } = await api('PATCH', '/api/endpoints/shop', many)
    expect(status).toBe(200)
    const shown = await run('query', {
      sql: `select repeat('"', 400) as a from generate_series(1, 500)`,
    })
    expect(shown.words).toContain('Other tool (150 in total)')
    expect(bytesOf(shown)).toBeLessThan(MAX_PAGE_BYTES)
    expect((await ada.open(`${AT}?tool=question_with_a_long_name_49`)).words).toContain(
      'Checked by',
    )
    await api('PATCH', '/api/endpoints/shop', { tools: null, questions: null })
  })

  test('reports an endpoint that does not list its tools', async () => {
    await api('PATCH', '/api/endpoints/shop', { active: false })
    const { status, words } = await ada.open(AT)
    expect([status, words]).toEqual([200, expect.stringContaining('did not list its tools')])
    await api('PATCH', '/api/endpoints/shop', { active: true })
    expect((await ada.open('/console/endpoints/nothing/workbench')).status).toBe(404)
  })

  test('runs, saves and removes without script', async () => {
    const browser = await chromiumForTests()
    if (!browser) return
    try {
      const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
      await giveKeyAlways(plain)
      await openConsole(plain, worker.url, AT)
      await plain.getByLabel('sql').fill(REVENUE)
      await plain.getByRole('button', { name: 'Run' }).click()
      await plain.getByRole('cell', { name: 'DE', exact: true }).waitFor()
      await plain.getByLabel('The question, as people ask it').fill('What did we earn?')
      await plain.getByRole('button', { name: 'Save' }).click()
      await plain.getByText('Saved.').waitFor()
      await plain.getByRole('link', { name: 'What did we earn?' }).click()
      await plain.getByRole('link', { name: 'Remove' }).click()
      await plain.getByRole('button', { name: 'Remove the question' }).click()
      await plain.getByText('Removed.').waitFor()
    } finally {
      await browser.close()
    }
  })
})
