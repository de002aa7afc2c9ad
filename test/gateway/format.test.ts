import fc from 'fast-check'
import { marked } from 'marked'
import { describe, expect, test } from 'vitest'
import { csv, formatted, neutralizeFormula } from '../../src/gateway/answer/format.ts'
import type { ToolResult } from '../../src/mcp/index.ts'
import { endpointBefore, resultOf } from '../support/endpoint.ts'
import { describePostgres } from '../support/postgres.ts'

const answer = (names: readonly string[], rows: readonly (readonly string[])[], hint?: string) => ({
  columns: names.map((name) => ({ name, type: 'text' })),
  rows,
  rowCount: rows.length,
  truncated: false,
  elapsedMs: 0,
  ...(hint && { hint }),
})

const textOf = (value: object) => (formatted(value, 'markdown') as ToolResult).content[0] as never
const rendered = (value: object) =>
  marked.parse((textOf(value) as { text: string }).text, { async: false, gfm: true })

/** The visible text of each cell, and every tag that is not part of a table or a plain link. */
function seen(html: string) {
  const open = html.replace(/<a href="([^"]*)">(.*?)<\/a>/g, (link, to, text) =>
    [text, `http://${text}`, `mailto:${text}`].some((it) => sameAddress(it, to)) ? text : link,
  )
  const cells = [...open.matchAll(/<t[hd]>(.*?)<\/t[hd]>/gs)].map(([, it]) => unescaped(it!))
  const tags = open.match(/<[^>]*>/g) ?? []
  return {
    cells,
    others: tags.filter((it) => !/^<\/?(?:table|thead|tbody|t[rhd]|p|br)>$/.test(it)),
  }
}

const sameAddress = (text: string, to: string) =>
  encodeURI(unescaped(text)).replaceAll('%25', '%') === unescaped(to)

const named: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  '#39': "'",
}
const unescaped = (html: string) =>
  html.replaceAll('<br>', '\n').replace(/&(lt|gt|amp|quot|#39);/g, (_, it) => named[it]!)

const hostile = [
  '![x](https://evil.example/?d=1)',
  '![x][y]',
  '[y]: https://evil.example',
  '[y]:\nhttps://evil.example',
  '[bank](https://evil.example)',
  '[bank](<https://evil.example>)',
  '[a\\](b)](https://evil.example)',
  '[bank][y]',
  '[y][]',
  '<img src=https://evil.example>',
  '<https://evil.example>',
  '<a@evil.example>',
  '</td></table><script>alert(1)</script>',
  '<!-- x',
  '`a',
  '``` b',
  '`<img src=x>`',
  '\\![x](https://evil.example)',
  '\\\\![x](https://evil.example)',
  '![x\\](https://evil.example)',
  'a|b',
  'a\\|b',
  'a\\\\|![x](https://evil.example)',
  'ends with \\',
  'a\n\n![x](https://evil.example)',
  '# a\r\n- b\n> c\n| --- |\n',
  '&lt;img src=x&gt;',
  '&#60;img&#62;',
  '![x]&#40;https://evil.example)',
  '*a* **b** ~~c~~ _d_ __e__ snake_case',
  '[^1]',
  '[^1]: x',
  '- [x] a',
  '[[1,2],[3]]',
  'a < b && c > d',
]

describe('rows as Markdown', () => {
  test.each(hostile)('%j is shown literally in a cell and as a column name', (text) => {
    const { cells, others } = seen(rendered(answer([text, 'n'], [[text, 'next']])))
    expect(others).toEqual([])
    expect(cells).toEqual([text.replace(/\r\n?/g, '\n'), 'n', text.replace(/\r\n?/g, '\n'), 'next'])
  })

  test('a hint is shown literally', () => {
    const html = rendered(answer(['n'], [['1']], '![x](//evil.example) <img src=x> [a][b]'))
    expect(seen(html).others).toEqual([])
    expect(unescaped(html)).toContain('<p>![x](//evil.example) <img src=x> [a][b]</p>')
  })

  test('cells are shown literally and never form a tag, alone or together', () => {
    const part = fc.oneof(
      fc.constantFrom(...hostile),
      fc.constantFrom(...'![]()<>`\\|*_~&;:#"\'-=^ \t\n\ra1/'),
      fc.string({ unit: 'grapheme', maxLength: 4 }),
    )
    const cell = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 3 }), (rows) => {
        // A plain URL becomes a link, and marked breaks lines at U+2028 and U+2029.
        const safe = rows.map((row) => [
          ...row.map((it) => it.replaceAll(/https?:|@|[\u2028\u2029]/g, '-')),
          'end',
        ])
        const { cells, others } = seen(rendered(answer(['a', 'b', 'c'], safe)))
        expect(others).toEqual([])
        const shown = (text: string) => text.replace(/\r\n?/g, '\n').trim()
        expect(cells.map(shown)).toEqual(['a', 'b', 'c', ...safe.flat().map(shown)])
        expect(seen(rendered(answer(['a', 'b'], rows))).others).toEqual([])
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('rows as CSV', () => {
  const exported = (...cells: (string | number | null)[]) =>
    csv(
      { columns: [{ name: '=n', type: 'text' }], rows: cells.map((it) => [it]) },
      neutralizeFormula,
    )
      .split('\n')
      .slice(1)

  test.each([
    '=1+1',
    "=cmd|'/C calc'!A1",
    '+1+1',
    '-1+cmd',
    '@SUM(A1)',
    '  =1',
    '\t=1',
    '\tx',
    '＝1+1',
    '-',
    '+49 89 1234',
    '-1 days',
    "'=1",
  ])('%j is escaped and cannot run as a formula', (text) => {
    expect(exported(text)).toEqual([`'${text}`])
  })

  test.each([
    'plain',
    '',
    "'t Hooft",
    'a=b',
    '-5',
    '-3.50',
    '+4989123456',
    '-9007199254740993',
    '-1.5e-300',
    '-Infinity',
  ])('%j is unchanged', (text) => {
    expect(exported(text)).toEqual([text || '""'])
  })

  test('numbers and nulls are unchanged, but a formula in a column name is escaped', () => {
    expect(exported(-5, null, 1.5)).toEqual(['-5', '', '1.5'])
    expect(csv({ columns: [{ name: '=n', type: 'text' }], rows: [] }, neutralizeFormula)).toBe(
      "'=n",
    )
  })
})

const name = '![x](https://evil.example)'
await describePostgres(
  'an endpoint with the Markdown format',
  `create table "${name}" ("${name}" text); insert into "${name}" values ('${name}');
    comment on table "${name}" is '<img src=x>'`,
  (postgres) => {
    const server = endpointBefore(postgres.tcp(postgres.reader), { format: 'markdown' })

    test.each([
      ['list_tables', {}],
      ['list_tables', { detail: true }],
      ['describe_table', { table: name }],
      ['query_table', { table: name }],
      ['query', { sql: `select * from "${name}"` }],
      ['explain_query', { sql: `select * from "${name}"` }],
      ['describe_table', { table: '![x](https://evil.exampl)' }],
      ['query', { sql: 'select * from "![x](https://evil.exampl)"' }],
      ['query_table', { table: name, columns: ['![x](https://evil.exampl)'] }],
    ])('shows hostile names literally: %s %j', async (tool, args) => {
      const { content } = await resultOf(server, tool, args)
      const html = marked.parse(content[0].text, { async: false })
      expect(html).toContain('![x](')
      const tags = seen(html).others.filter((it) => !/^<\/?(?:pre|code)\b/.test(it))
      expect(tags).toEqual([])
    })
  },
)
