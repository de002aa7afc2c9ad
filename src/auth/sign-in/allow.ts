import { foldName } from '../../ground/index.ts'
import type { SignInEnv } from '../settings.ts'
import { isName, type Person, type Props } from './person.ts'

/** People who can sign in. */
interface AllowRules {
  readonly everybody: boolean
  readonly names: ReadonlySet<string>
  readonly domains: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
}

const MAX_ENTRIES = 1_000

/** Maximum length of an entry: `group:` and a name. */
const MAX_ENTRY_CHARS = 206
const MAX_CHARS = MAX_ENTRIES * (MAX_ENTRY_CHARS + 2)

/**
 * Parses SIGN_IN_ALLOW: names of people such as addresses, `*@example.com` for all addresses at exactly that domain,
 * `group:NAME`, and `*` for everybody, separated by commas or lines. Any other entry allows nobody. If the string is
 * too long, it allows nobody at all.
 */
export function allowRules(text = ''): AllowRules {
  const entries = faultOfLength(text) ? [] : entriesOf(text).filter((it) => !faultOfEntry(it))
  const [everybody, rest] = [entries.includes('*'), entries.map(foldName)]
  const after = (prefix: string) =>
    new Set(rest.filter((it) => it.startsWith(prefix)).map((it) => it.slice(prefix.length)))
  return {
    everybody,
    names: new Set(rest.filter((it) => !it.startsWith('*') && !it.startsWith(GROUP))),
    domains: after(DOMAIN),
    groups: after(GROUP),
  }
}

/** True if a person can sign in. */
export function allows(rules: AllowRules, { name, groups }: Person): boolean {
  const { everybody, names, domains, groups: allowed } = rules
  return (
    everybody ||
    names.has(foldName(name)) ||
    domains.has(domainOf(foldName(name)) ?? '') ||
    groups.some((group) => allowed.has(foldName(group)))
  )
}

/**
 * True if a person needs no registry group for access: they used the passphrase or a code, or SIGN_IN_ALLOW allows
 * them. This is checked each time, so removing somebody ends their access.
 */
export const isAllowed = (
  { person, isForeign }: Pick<Props, 'person' | 'isForeign'>,
  { SIGN_IN_ALLOW }: SignInEnv,
): boolean => !isForeign || allows(allowRules(SIGN_IN_ALLOW), person)

/** True if SIGN_IN_ALLOW or OPERATORS lists a group. */
export const namesGroup = ({ SIGN_IN_ALLOW, OPERATORS }: SignInEnv): boolean =>
  [SIGN_IN_ALLOW, OPERATORS].some((it) => allowRules(it).groups.size > 0)

/** The error in SIGN_IN_ALLOW, as a message for the operator. */
export function faultOfAllow(text = ''): string | undefined {
  if (entriesOf(text.slice(0, MAX_CHARS)).length === 0) {
    return 'SIGN_IN_ALLOW names nobody, so nobody may sign in. List addresses, *@example.com, group:NAME, or * for everybody.'
  }
  return faultOfEntries(text, 'SIGN_IN_ALLOW')
}

/** The error in a setting that is written like SIGN_IN_ALLOW, as a message for the operator. */
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

/** The error in an entry, worded to follow the setting's name. */
function faultOfEntry(entry: string): string | undefined {
  if (entry === '*') return undefined
  const shown = `has "${entry.slice(0, 80)}".`
  if (entry.startsWith(DOMAIN)) {
    const isDomain = isName(entry) && /^[^\s*@]+$/.test(entry.slice(DOMAIN.length))
    return isDomain ? undefined : `${shown} After *@, write one domain, such as *@example.com.`
  }
  const name = entry.startsWith(GROUP) ? entry.slice(GROUP.length) : entry
  if (!isName(name)) return `${shown} No person can have this name.`
  if (!entry.startsWith(GROUP) && (name.includes('*') || name.startsWith('@'))) {
    return `${shown} Write *@example.com for all addresses of a domain.`
  }
  return undefined
}

/** The domain of an address; undefined if the name is not an address. */
function domainOf(name: string): string | undefined {
  const [local, domain, ...others] = name.split('@')
  return local && domain && others.length === 0 ? domain : undefined
}
