import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Operator, operatorAt } from '../support/operator.ts'
import { describePostgres } from '../support/postgres.ts'
import { askApi, operated } from '../support/registry-api.ts'
import type { Shown } from '../support/visitor.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

const HOSTILE = `<img src="x" onerror='alert(1)'> & שלום`

const columns = (count: number) =>
  Array.from({ length: count }, (_, i) => `"column number ${i} of a wide table" int`).join(', ')

const setup = `
  do $$ begin for i in 1..300 loop execute format('create table t%s (id int, note text)', i); end loop; end $$;
  create table "${HOSTILE.replaceAll('"', '""')}" ("<b>" int, other int);
  create table wide (${columns(1_000)});
  create schema sales;
  grant usage on schema sales to public;
  create table sales.orders (id int);
  grant select on sales.orders to public;
`

/** The values on a page, as a browser would send them. */
const valuesOf = ({ text }: Shown, name: string): string[] =>
  [...text.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, 'g'))].map(([, it]) =>
    it!
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  )

await describePostgres('a group’s tables in a large database', setup, (postgres) => {
  const path = '/console/access/groups/sales/endpoints/shop/tables/main'
  let worker: RunningWorker
  let operator: Operator
  const rules = async () =>
    (await askApi(worker, 'GET', '/api/groups/sales')).json.endpoints.shop.databases.main

  beforeAll(async () => {
    worker = await startWorker(operated)
    operator = await operatorAt(worker.url)
    await askApi(worker, 'POST', '/api/endpoints', {
      name: 'shop',
      title: 'Shop',
      active: false,
      databases: { main: { url: postgres.tcp(postgres.reader) } },
    })
    const endpoints = { shop: { databases: { main: { tables: {} } } } }
    await askApi(worker, 'POST', '/api/groups', { name: 'sales', endpoints })
  })
  afterAll(() => worker.close())

  test('can be ticked page by page, and by a search', async () => {
    const seen = new Set<string>()
    let next: string | undefined = path
    for (let pages = 0; next && pages < 20; pages++) {
      const page: Shown = await operator.open(next)
      expect(page.text.length).toBeLessThan(100_000)
      const shown = valuesOf(page, 'shown')
      for (const it of shown) seen.add(it)
      await operator.submit(path, { do: 'page', shown })
      const offset = /name="offset" value="(\d+)">Next page/.exec(page.text)?.[1]
      next = offset && `${path}?offset=${offset}`
    }
    expect(seen.size).toBe(303)
    expect(seen).toContain('sales.orders')
    expect(Object.keys((await rules()).tables)).toHaveLength(303)
    const found = await operator.open(`${path}?search=orders`)
    expect(valuesOf(found, 'shown')).toEqual(['sales.orders'])
    await operator.submit(`${path}?search=orders`, { do: 'save', shown: 'sales.orders' })
    expect((await rules()).tables).not.toHaveProperty(['sales.orders'])
    const back = await operator.submit(`${path}?search=orders`, { do: 'page' })
    expect(back.location).toBe(`${path}?search=orders&done=saved`)
    await operator.submit(path, { do: 'schemas', schemas: 'sales\r\n' })
    expect((await rules()).schemas).toEqual(['sales'])
    expect((await operator.open(`${path}?search=orders`)).words).toContain('through its schema')
  })

  test('have their names shown as text, and stored unchanged', async () => {
    const page = await operator.open(`${path}?search=onerror`)
    expect(page.text).not.toContain('<img')
    expect(valuesOf(page, 'shown')).toEqual([HOSTILE])
    const query = new URLSearchParams({ table: HOSTILE })
    const columns = await operator.open(`${path}?${query}`)
    expect(columns.text).not.toContain('<b>')
    expect(valuesOf(columns, 'shown')).toEqual(['<b>', 'other'])
    await operator.submit(`${path}?${query}`, { shown: ['<b>', 'other'], tick: '<b>' })
    expect((await rules()).tables[HOSTILE]).toEqual(['<b>'])
  })

  test('with a thousand columns are ticked page by page, and the rest stay unchanged', async () => {
    const asked = `${path}?table=wide`
    const page = await operator.open(`${asked}&offset=200`)
    expect(page.text.length).toBeLessThan(100_000)
    expect(page.words).toContain('1,000 columns in total')
    const shown = valuesOf(page, 'shown')
    expect(shown).toHaveLength(100)
    // The group saw the whole table, so all columns but these stay.
    await operator.submit(`${asked}&offset=200`, { shown })
    expect((await rules()).tables.wide).toHaveLength(900)
    await operator.submit(asked, { shown, tick: shown.slice(0, 2) })
    expect((await rules()).tables.wide).toHaveLength(902)
    await operator.submit(asked, { shown: shown.slice(0, 5), do: 'page' })
    expect((await rules()).tables.wide).toHaveLength(905)
    await operator.submit(asked, { do: 'whole' })
    expect((await rules()).tables.wide).toBe(true)
    const found = await operator.open(`${asked}&search=number+77+of`)
    expect(valuesOf(found, 'shown')).toEqual(['column number 77 of a wide table'])
  })
})
