import { expect, test } from 'vitest'
import { Copy } from '../../src/console/parts/copy.tsx'

test('a text to copy has its lines, and nothing that ends a paste in a terminal', () => {
  const children = ['GRANT SELECT ON "a\u001B[201~\rb"\n', ['TO\t"c\u009B";']]
  const html = String(Copy({ id: 'sql', what: 'the SQL', children }))
  expect(html).toContain('&quot;a\uFFFD[201~\uFFFDb&quot;\nTO\t&quot;c\uFFFD&quot;;')
})
