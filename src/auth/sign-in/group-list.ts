import type { Person, UnknownGroups } from './person.ts'

/** A person's groups, as far as they are known. */
export type GroupList = Pick<Person, 'groups' | 'unknownGroups'>

const MAX_GROUPS = 200
const MAX_GROUP_CHARS = 200

/**
 * Reads a list of groups. An incomplete list is marked: with it, a person might see data that their group is not
 * allowed to see.
 */
export function groupList(listed: unknown): GroupList {
  if (listed === undefined || listed === null) return { groups: [], unknownGroups: 'missing' }
  const all: readonly unknown[] = Array.isArray(listed) ? listed : [listed]
  // A list in a string, such as JSON or with commas, cannot be told apart from a single name.
  if (typeof listed === 'string' && /^[[{]|[\s,;|]/.test(listed)) {
    return { groups: [], unknownGroups: 'odd' }
  }
  const groups = [...new Set(all.filter(isGroup))]
  if (groups.length > MAX_GROUPS) {
    return { groups: groups.slice(0, MAX_GROUPS), unknownGroups: 'cut' }
  }
  return all.every(isGroup) ? { groups } : { groups, unknownGroups: 'odd' }
}

const isGroup = (it: unknown): it is string =>
  typeof it === 'string' && it !== '' && it.length <= MAX_GROUP_CHARS && !/\p{Cc}/u.test(it)

/** True if anything in this deployment refers to a provider's group. If so, people's groups must be known. */
export type GroupsCount = () => Promise<boolean>

/**
 * Returns the reason that the groups from a person's provider are not sufficient; undefined if they are. If nothing
 * refers to a group, any groups are sufficient.
 *
 * @param since time when the provider reported them, if the person does not include it
 */
export async function groupsFault(
  { unknownGroups, groupsAt }: Person,
  since: number,
  count: GroupsCount,
): Promise<string | undefined> {
  const age = Date.now() - (groupsAt ?? since)
  // A clock that was set back does not make groups recent.
  const isOld = age >= GROUPS_MS || age < -MAX_AHEAD_MS
  if ((!unknownGroups && !isOld) || !(await count())) return undefined
  return unknownGroups ? SENTENCES[unknownGroups] : OLD
}

/** Time for which groups from a provider count. After that, the provider must confirm them. */
export const GROUPS_MS = 24 * 3_600_000

/** Tolerated clock difference. */
const MAX_AHEAD_MS = 3_600_000

const OLD =
  'Groups decide here who may see what, and yours were last read more than a day ago. Sign in again.'

const SENTENCES: Readonly<Record<UnknownGroups, string>> = {
  missing:
    'Groups decide here who may see what, and the identity provider does not send yours. The operator must have it send them as a list, even if it is empty, in the claim that SIGN_IN_GROUPS_CLAIM names: groups, if that is not set.',
  odd: 'Groups decide here who may see what, and the identity provider sends yours in a form that cannot be read. The operator must have it send a list of names, each of at most 200 characters.',
  cut: 'Groups decide here who may see what, and you are in more than 200. The operator must have the identity provider send fewer: those that are assigned to the application.',
  'left out':
    'Groups decide here who may see what, and GitHub left out some of your organizations, which require their own single sign-on. Sign in to them at GitHub, authorize this app there, and sign in here again.',
  withheld:
    'Groups decide here who may see what, and GitHub was not asked for yours: the scope read:org is missing. Sign in again from the start, and let GitHub share your organizations and teams.',
}
