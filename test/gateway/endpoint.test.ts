import { describe, expect, test } from 'vitest'
import { ConfigError, readEndpoints } from '../../src/gateway/index.ts'

const read = (url: string) =>
  readEndpoints({
    ENDPOINTS: JSON.stringify([{ name: 'shop', title: 'Shop', databases: { shop: { url } } }]),
  })

describe('the URL of a database in ENDPOINTS', () => {
  test.each(['demo:', 'secret:SHOP_URL', 'hyperdrive:SHOP'])('can be %s', (url) => {
    expect(read(url)[0]!.databases.shop!.url).toBe(url)
  })

  test.each([
    'postgres://app:hunter2@db.example.com/shop',
    'hyperdrive:',
    'hyperdrive:SHOP?password=hunter2',
    'demo:hunter2',
  ])('is refused, and the error does not repeat its password: %s', (url) => {
    let error: unknown
    try {
      read(url)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as ConfigError).message).toContain('"hyperdrive:BINDING"')
    expect((error as ConfigError).message).not.toContain('hunter2')
  })
})

test.each([
  ['{}', 'at least one database'],
  ['{"Shop":{"url":"demo:"}}', 'names in lower case'],
  ['{"__proto__":{"url":"demo:"}}', 'at least one database'],
  ['[]', 'expected object'],
])('an endpoint with invalid databases is refused: %s', (databases, sentence) => {
  const ENDPOINTS = `[{"name":"shop","title":"Shop","databases":${databases}}]`
  expect(() => readEndpoints({ ENDPOINTS })).toThrow(ConfigError)
  expect(() => readEndpoints({ ENDPOINTS })).toThrow(sentence)
})

test('an endpoint has default values for caps, keep and records', () => {
  expect(read('demo:')[0]).toMatchObject({
    caps: { rows: 200, bytes: 10_000, cell: 1_000, timeoutMs: 20_000 },
    keep: { rows: 2_000, bytes: 250_000, repeatSeconds: 0 },
    ...{ sql: true, format: 'json', access: 'key' },
  })
  const some = { name: 'shop', title: 'Shop', databases: { shop: { url: 'demo:' } } }
  const of = (more: object) => readEndpoints({ ENDPOINTS: JSON.stringify([{ ...some, ...more }]) })
  expect(of({ caps: { rows: 7 }, keep: { rows: 9 } })[0]).toMatchObject({
    caps: { rows: 7, bytes: 10_000 },
    keep: { rows: 9, bytes: 250_000 },
  })
  expect(of({ keep: false })[0]!.keep).toBe(false)
  expect(of({})[0]).toMatchObject({ records: { literals: false, count: 20_000, days: 30 } })
  expect(of({ records: { days: 7 } })[0]!.records).toMatchObject({ count: 20_000, days: 7 })
  expect(of({ records: false })[0]!.records).toBe(false)
  expect(of({})[0]).not.toHaveProperty('limits')
})

describe('an invalid configuration', () => {
  const faultOf = (ENDPOINTS: string) => {
    try {
      readEndpoints({ ENDPOINTS })
    } catch (error) {
      return (error as Error).message
    }
    return 'nothing'
  }
  const shop = { name: 'shop', title: 'Shop', databases: { shop: { url: 'demo:' } } }
  const withMore = (...more: object[]) =>
    faultOf(JSON.stringify(more.map((it) => ({ ...shop, ...it }))))

  test.each([
    [
      'a trailing comma in an object',
      '[\n  {"name": "shop",}\n]',
      'At line 2, column 18 there is an extra comma. Remove it.',
    ],
    [
      'a trailing comma in an array',
      '[1, 2, ]',
      'At line 1, column 6 there is an extra comma. Remove it.',
    ],
    [
      'single quotes',
      "[{'name': 1}]",
      'At line 1, column 3 there is "\'", but a name in double quotes, or }, is expected.',
    ],
    [
      'a name without quotes',
      '[{name: 1}]',
      'At line 1, column 3 there is "n", but a name in double quotes, or }, is expected.',
    ],
    [
      'a missing colon',
      '[{"name" "shop"}]',
      'At line 1, column 10 there is "\\"", but a colon is expected.',
    ],
    [
      'a missing comma',
      '["a"\n"b"]',
      'At line 2, column 1 there is "\\"", but a comma or the closing bracket is expected.',
    ],
    [
      'an early end',
      '[{"name": "shop"',
      'At line 1, column 17 the text ends, but a comma or the closing bracket is expected.',
    ],
    [
      'an unclosed string',
      '["hunter2\n"]',
      'At line 1, column 2 a string is not closed on its line, or has an invalid escape after \\.',
    ],
    [
      'the wrong closing bracket',
      '[{"a": 1]]',
      'At line 1, column 9 there is "]", but a comma or the closing bracket is expected.',
    ],
    [
      'text after the end',
      '[] hunter2',
      'At line 1, column 4 there is "h", but the text should end.',
    ],
    [
      'an invalid number',
      '[01]',
      'At line 1, column 2 there is "0", but a value, or ], is expected.',
    ],
    [
      'a comment',
      '[ // hunter2\n]',
      'At line 1, column 3 there is "/", but a value, or ], is expected.',
    ],
  ])('is reported with the position of the JSON syntax error: %s', (_, text, sentence) => {
    expect(faultOf(text)).toBe(`ENDPOINTS is not JSON. ${sentence}`)
  })

  test('is reported with a position inside the text, for any broken JSON', () => {
    const whole = JSON.stringify([
      { ...shop, caps: { rows: 1.5e1, samples: -0 }, x: [true, null, 'é\\"'] },
    ])
    for (let at = 0; at < whole.length; at++) {
      const [before, after] = [whole.slice(0, at), whole.slice(at)]
      for (const [broken, last] of [
        [before, at + 1],
        [`${before}§${after}`, at + 1],
        [before + after.slice(1), whole.length],
      ] as const) {
        let isJson = true
        try {
          JSON.parse(broken)
        } catch {
          isJson = false
        }
        if (isJson || !broken) continue
        const column = Number(/line 1, column (\d+) /.exec(faultOf(broken))?.[1])
        expect(column).toBeGreaterThan(0)
        expect(column).toBeLessThanOrEqual(last)
      }
    }
  })

  test('is reported with the endpoint, the missing field and an example', () => {
    const { title, ...untitled } = shop
    expect(faultOf(JSON.stringify([shop, { ...untitled, name: 'two' }]))).toBe(
      'ENDPOINTS is not valid.\nEndpoint 2 ("two") has no title. Add "title": "Web shop".',
    )
    expect(withMore({ databases: { shop: {} } })).toContain(
      'Endpoint 1 ("shop"): databases.shop has no url. Add "url": "secret:SHOP_URL".',
    )
    expect(faultOf('[{}]').split('\n').slice(1)).toEqual([
      'Endpoint 1 has no name. Add "name": "shop".',
      'Endpoint 1 has no title. Add "title": "Web shop".',
      'Endpoint 1 has no databases. Add "databases": { "shop": { "url": "secret:SHOP_URL" } }.',
    ])
  })

  test.each([
    [
      { name: 'Shop' },
      'Endpoint 1 ("Shop"): name must be lower case and at most 31 characters, such as "shop".',
    ],
    [{ title: 5 }, 'Endpoint 1 ("shop"): title is of type number: expected string.'],
    [{ title: 'x'.repeat(81) }, 'Endpoint 1 ("shop"): title must have at most 80 characters.'],
    [{ caps: { rows: 0 } }, 'Endpoint 1 ("shop"): caps.rows must be at least 1.'],
    [{ caps: { rows: '5' } }, 'Endpoint 1 ("shop"): caps.rows is of type string: expected number.'],
    [
      { format: 'hunter2' },
      'Endpoint 1 ("shop"): format must be one of "json", "markdown", "csv".',
    ],
    [
      { colour: 'red' },
      'Endpoint 1 ("shop") has an unknown field: colour. Remove it, or check its spelling.',
    ],
    [{ tools: [] }, 'Endpoint 1 ("shop"): tools must have at least 1 entries.'],
    [
      { tools: ['query', { name: 'x', sql: 'select 1' }] },
      'Endpoint 1 ("shop"): tools[1] has no description. Add "description": ….',
    ],
    [
      { limits: { caller: { callsPerMinute: 100 } } },
      'Endpoint 1 ("shop"): limits.caller.callsPerMinute must be one of 10, 30, 60, 120, 300, 600.',
    ],
    [
      { limits: { endpoint: { callsPerMinute: 60 } } },
      'Endpoint 1 ("shop"): limits.endpoint has an unknown field: callsPerMinute. Remove it, or check its spelling.',
    ],
    [
      { limits: { caller: { rowsPerDay: 0 } } },
      'Endpoint 1 ("shop"): limits.caller.rowsPerDay must be at least 1.',
    ],
    [{ keep: { rows: -1 } }, 'Endpoint 1 ("shop"): keep.rows must be at least 1.'],
    [
      { keep: 'hunter2' },
      'Endpoint 1 ("shop"): keep is of type string, which is not allowed here.',
    ],
    [
      { databases: { 'postgres://a:hunter2@b/c': { url: 5 } } },
      'Endpoint 1 ("shop"): databases.….url is of type number',
    ],
  ])('is reported with the path of the field, but without secrets: %j', (more, sentence) => {
    expect(withMore(more)).toContain(sentence)
    expect(withMore(more)).not.toContain('hunter2')
  })

  test('is reported in ten sentences and a count of the other faults', () => {
    const many = Array.from({ length: 50 }, (_, i) => ({ name: `s${i}`, title: 1 }))
    expect(withMore(...many).split('\n')).toHaveLength(12)
    expect(withMore(...many)).toContain('There are 40 more.')
  })

  test('is reported if any text or list is too long', () => {
    const long = 'x'.repeat(200_000)
    const list = Array.from({ length: 1_000 }, () => 'x')
    const own = { name: 'own', description: 'A tool of my own.', sql: 'select 1' }
    const param = { name: 'p', type: 'string' }
    const search = { table: 't', title: 't', text: ['t'] }
    for (const more of [
      ...[{ name: long }, { title: long }, { databases: { [long]: { url: 'demo:' } } }],
      ...[{ databases: { shop: { url: `secret:${long}` } } }, { tools: [long] }, { tools: list }],
      { databases: { shop: { url: 'demo:', purpose: long } } },
      { databases: Object.fromEntries(list.map((_, i) => [`d${i}`, { url: 'demo:' }])) },
      ...['name', 'title', 'description', 'database', 'sql'].map((it) => ({
        tools: [{ ...own, [it]: long }],
      })),
      ...[
        { values: list },
        { values: [long] },
        { default: long },
        { min: long },
        { max: long },
      ].map((it) => ({ tools: [{ ...own, params: [{ ...param, ...it }] }] })),
      { tools: [{ ...own, params: list.map((_, i) => ({ ...param, name: `p${i}` })) }] },
      { tools: [{ ...own, params: [{ name: 'p', claim: long }] }] },
      ...['database', 'table', 'title'].map((it) => ({ search: [{ ...search, [it]: long }] })),
      ...[{ text: [long] }, { text: list }, { url: `https://${long}` }].map((it) => ({
        search: [{ ...search, ...it }],
      })),
    ]) {
      expect(withMore(more)).toMatch(/^ENDPOINTS is not valid/)
      expect(withMore(more).length).toBeLessThan(1_000)
    }
    expect(withMore(...list.map((_, i) => ({ name: `s${i}` })))).toContain('at most 100 entries')
  })
})
