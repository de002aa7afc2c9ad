import { expect, test } from 'vitest'
import { Copy } from '../../src/console/parts/copy.tsx'

test('text to copy keeps its lines, and has no characters that end a terminal paste', () => {
  const children = ['GRANT SELECT ON "a\u001B[201~\rb"\n', ['TO\t"c\u009B";']]
  const html = String(Copy({ id: 'sql', what: 'the SQL', children }))
  expect(html).toContain('&quot;a\uFFFD[201~\uFFFDb&quot;\nTO\t&quot;c\uFFFD&quot;;')
})
