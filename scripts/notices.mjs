// Licenses of the bundled libraries, which require their text to be included.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The notices for these files, some of which belong to packages. */
export function noticesOf(files) {
  const folders = new Set(files.flatMap((file) => folderOf(file) ?? []))
  const packages = [...folders].map((folder) => ({
    ...JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
    texts: globSync('{LICENSE,LICENCE,license,licence,NOTICE}*', { cwd: folder })
      .sort()
      .map((name) => readFileSync(join(folder, name), 'utf8').trim()),
  }))
  const byName = new Map(packages.map((it) => [`${it.name} ${it.version}`, it]))
  const notices = [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(noticeOf)
  return ['This package contains parts of these libraries.', ...notices].join('\n\n')
}

/** The folder of the package that a file belongs to. */
const folderOf = (file) =>
  /^.*[\\/]?node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/.exec(file)?.[0]

function noticeOf([name, { license, author, texts }]) {
  const by = typeof author === 'string' ? author : author?.name
  const said = texts.length > 0 ? texts : [`${license} licence${by ? `, by ${by}` : ''}.`]
  return [`${'-'.repeat(80)}\n${name} (${license})`, ...said].join('\n\n')
}
