import type { Person } from './person.ts'
import { isName } from './person.ts'

/** Who may sign in. */
export interface AllowRules {
  readonly everybody: boolean
  readonly names: ReadonlySet<string>
  readonly domains: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
}

const MAX_ENTRIES = 1_000

/** What an entry may have at most: `group:` and a name. */
const MAX_ENTRY_CHARS = 206
const MAX_CHARS = MAX_ENTRIES * (MAX_ENTRY_CHARS + 2)

/**
 * Reads SIGN_IN_ALLOW: names of people such as addresses, `*@example.com` for all addresses of exactly
 * that domain, `group:NAME`, and `*` for everybody, separated by commas or lines. An entry that is none
 * of these allows nobody, and so does a text that is too long.
 */
export function allowRules(text = ''): AllowRules {
  const entries = faultOfLength(text) ? [] : entriesOf(text).filter((it) => !faultOfEntry(it))
  const [everybody, rest] = [entries.includes('*'), entries.map(folded)]
  const after = (prefix: string) =>
    new Set(rest.filter((it) => it.startsWith(prefix)).map((it) => it.slice(prefix.length)))
  return {
    everybody,
    names: new Set(rest.filter((it) => !it.startsWith('*') && !it.startsWith(GROUP))),
    domains: after(DOMAIN),
    groups: after(GROUP),
  }
}

/** Whether somebody may sign in. */
export function allows(rules: AllowRules, { name, groups }: Person): boolean {
  const { everybody, names, domains, groups: allowed } = rules
  return (
    everybody ||
    names.has(folded(name)) ||
    domains.has(domainOf(folded(name)) ?? '') ||
    groups.some((group) => allowed.has(folded(group)))
  )
}

/** What is wrong with SIGN_IN_ALLOW, in a sentence for the operator. */
export function faultOfAllow(text = ''): string | undefined {
  if (entriesOf(text.slice(0, MAX_CHARS)).length === 0) {
    return 'SIGN_IN_ALLOW names nobody, so nobody may sign in. List addresses, *@example.com, group:NAME, or * for everybody.'
  }
  return faultOfEntries(text, 'SIGN_IN_ALLOW')
}

/** What is wrong with an entry of a setting that is written like SIGN_IN_ALLOW, in a sentence for the operator. */
export function faultOfEntries(text: string, setting: string): string | undefined {
  const fault =
    faultOfLength(text) ??
    entriesOf(text)
      .map(faultOfEntry)
      .find((it) => it !== undefined)
  return fault && `${setting} ${fault}`
}

const GROUP = 'group:'
const DOMAIN = '*@'

const entriesOf = (text: string): string[] =>
  text
    .split(/[,\r\n]/)
    .map((it) => it.trim())
    .filter(Boolean)

function faultOfLength(text: string): string | undefined {
  const isShort = text.length <= MAX_CHARS && entriesOf(text).length <= MAX_ENTRIES
  return isShort ? undefined : `may have ${MAX_ENTRIES} entries. Use groups instead.`
}

/** What is wrong with it, behind the name of the setting. */
function faultOfEntry(entry: string): string | undefined {
  if (entry === '*') return undefined
  const shown = `has "${entry.slice(0, 80)}".`
  if (entry.startsWith(DOMAIN)) {
    const isDomain = isName(entry) && /^[^\s*@]+$/.test(entry.slice(DOMAIN.length))
    return isDomain ? undefined : `${shown} After *@ stands one domain, such as *@example.com.`
  }
  const name = entry.startsWith(GROUP) ? entry.slice(GROUP.length) : entry
  if (!isName(name)) return `${shown} It can be the name of nobody.`
  if (!entry.startsWith(GROUP) && (name.includes('*') || name.startsWith('@'))) {
    return `${shown} Write *@example.com for all addresses of a domain.`
  }
  return undefined
}

/** The domain of an address; nothing if it is none. */
function domainOf(name: string): string | undefined {
  const [local, domain, ...others] = name.split('@')
  return local && domain && others.length === 0 ? domain : undefined
}

/** How names are compared here and in the registry: `Ada@example.com` is `ada@example.com`. */
const folded = (name: string): string => name.normalize('NFC').toLowerCase()
