import { readdir } from 'node:fs/promises'
import type { posix } from 'node:path'
import { wrong } from './fault.ts'
import type { Here } from './here.ts'
import { matches } from './patterns.ts'

/** What the configuration of ssh says of a server, by keyword in lower case. */
export type Settings = ReadonlyMap<string, readonly string[]>

/** How deep files may include others, as in OpenSSH. */
const MAX_DEPTH = 16

/** The keywords of which all values count, and not only the first. */
const SEVERAL = ['identityfile']

/**
 * Reads what the files of ssh_config(5) say of a server: those of the user, then those of the machine. The first
 * value of a keyword counts. `Match` knows `all`, `host`, `originalhost` and `user`; a block that asks for more, such
 * as `exec`, does not apply. Throws DatabaseError.
 */
export async function settingsOf(
  name: string,
  user: string | undefined,
  here: Here,
): Promise<Settings> {
  const found = new Map<string, string[]>()
  const scope: Scope = { name, user, found, here }
  for (const folder of [here.userFolder, here.systemFolder]) {
    const file = folder === here.userFolder ? 'config' : 'ssh_config'
    await readInto(scope, here.path.join(folder, file), folder, 0)
  }
  return found
}

interface Scope {
  readonly name: string
  readonly user: string | undefined
  readonly found: Map<string, string[]>
  readonly here: Here
}

async function readInto(scope: Scope, path: string, folder: string, depth: number) {
  if (depth > MAX_DEPTH) throw wrong(`The configuration of ssh includes itself, in ${path}.`)
  let applies = true
  for (const { keyword, values } of lines((await scope.here.read(path)) ?? '')) {
    if (keyword === 'host') applies = matches(scope.name, values)
    else if (keyword === 'match') applies = isMatched(scope, values)
    else if (!applies) continue
    else if (keyword === 'include') {
      for (const included of await named(values, folder, scope.here)) {
        await readInto(scope, included, folder, depth + 1)
      }
    } else if (!scope.found.has(keyword)) scope.found.set(keyword, [...values])
    else if (SEVERAL.includes(keyword)) scope.found.get(keyword)!.push(...values)
  }
}

interface Line {
  readonly keyword: string
  readonly values: readonly string[]
}

/** Reads `Keyword value "another value"` and `Keyword=value`. */
function lines(text: string): readonly Line[] {
  return text.split('\n').flatMap((line) => {
    const [, keyword, rest = ''] = /^\s*([A-Za-z]+)(?:\s*=|\s|$)(.*)/.exec(line) ?? []
    if (!keyword) return []
    const words = rest.match(/"[^"]*"|[^\s"]+/g) ?? []
    const end = words.findIndex((it) => it.startsWith('#'))
    const values = words.slice(0, end < 0 ? undefined : end).map((it) => it.replaceAll('"', ''))
    return [{ keyword: keyword.toLowerCase(), values }]
  })
}

function isMatched({ name, user, found, here }: Scope, words: readonly string[]): boolean {
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!.toLowerCase()
    const criterion = word.replace(/^!/, '')
    if (criterion === 'all') {
      if (word !== criterion) return false
      continue
    }
    const subject = {
      host: (found.get('hostname')?.[0] ?? name).toLowerCase(),
      originalhost: name.toLowerCase(),
      user: user ?? found.get('user')?.[0] ?? here.user,
    }[criterion]
    const patterns = words[++i]
      ?.split(',')
      .map((it) => (criterion === 'user' ? it : it.toLowerCase()))
    if (subject === undefined || !patterns) return false
    if (matches(subject, patterns) === word.startsWith('!')) return false
  }
  return true
}

/** The files that `Include` names, which may have wildcards in the name of the file. */
async function named(values: readonly string[], folder: string, here: Here): Promise<string[]> {
  const found: string[] = []
  for (const value of values) {
    const path = here.path.resolve(folder, here.expand(value))
    const name = here.path.basename(path)
    if (!/[*?]/.test(name)) found.push(path)
    else found.push(...(await filesLike(here.path, here.path.dirname(path), name)))
  }
  return found
}

async function filesLike(path: typeof posix, folder: string, pattern: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const hidden = pattern.startsWith('.')
  const fit = names.filter((it) => it.startsWith('.') === hidden && matches(it, [pattern]))
  return fit.sort().map((it) => path.join(folder, it))
}
