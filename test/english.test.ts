import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

/** Words that make a reader stop, and the ordinary ones. */
const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, 'again'],
  [/\bwho(?:m)?ever\b/i, 'anyone who'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\b(?:thereof|whereby|therein|thereby|that which)\b/i, 'an ordinary word'],
  [/\bmay be given\b/i, 'is accepted'],
  [/\bone that has\b/i, 'with'],
  [/\b(?<!there )is no (?!longer\b|more\b|less\b)(?:[a-z]+)\b/i, 'is not a'],
]

const root = join(import.meta.dirname, '..')
const sources = globSync(['{src,examples}/**/*.{ts,tsx}', 'bin/**/*.mjs'], { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .sort()
const docs = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'AGENTS.md', 'CHANGELOG.md'].concat(
  globSync('docs/**/*.md', { cwd: root }).map((path) => path.replaceAll('\\', '/')),
)
const text = (path: string) => readFileSync(join(root, path), 'utf8')

/** The room a file belongs to. The files of src/ itself are the door. */
function room(path: string): string {
  const [top = '', second = '', ...deeper] = path.split('/')
  return top !== 'src' ? top : deeper.length > 0 ? second : 'door'
}

const COMMENT = /\/\*\*?([\s\S]*?)\*\/|((?:^[ \t]*\/\/.*\n)+)|(?<=[^:'"`])\/\/ (.*)$/gm

/** The comments of a file, without comment markers. Consecutive `//` lines are one comment. */
function comments(path: string): string[] {
  return [...text(path).matchAll(COMMENT)].map(([, block, lines, tail]) =>
    (block ?? lines ?? tail ?? '').replace(/^[ \t]*(?:\*|\/\/) ?/gm, '').trim(),
  )
}

/** Comments that open with one of these have a clause where English has a noun: "What is read of …". */
const OPENER = /^(?:What|Whether|Who|Whom|Whose|Why|How)\b/

/** The text without code in backticks, which may name old words. */
const withoutCode = (line: string) => line.replace(/`[^`]*`/g, '')

describe('plain English', () => {
  test.each([...Map.groupBy(sources, room)])(
    'comments of %s open with a noun or a verb',
    (_, files) => {
      const odd = files.flatMap((path) =>
        comments(path)
          .filter((it) => OPENER.test(it))
          .map((it) => `${path}: ${it.split('\n')[0]}`),
      )
      expect(odd).toEqual([])
      // Files without comments would pass.
      expect(files.flatMap(comments).length).toBeGreaterThan(files.length)
    },
  )

  test.each([...sources, ...docs])('%s has no word that makes a reader stop', (path) => {
    const found = text(path)
      .split('\n')
      .flatMap((line, index) =>
        FORBIDDEN.filter(([pattern]) =>
          pattern.test(path.endsWith('.md') ? withoutCode(line) : line),
        ).map(([, better]) => `${path}:${index + 1}: ${line.trim()} (better: ${better})`),
      )
    expect(found).toEqual([])
  })
})
