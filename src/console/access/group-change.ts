import type { ShownGroup } from './group.ts'

/** What is said after each change of a group. */
export const GROUP_CHANGES = {
  title: 'The title is saved.',
  people: 'The people of the group are saved. It holds everywhere within 10 seconds.',
  keys: 'The keys of the group are saved. It holds everywhere within 10 seconds.',
  endpoints: 'The endpoints of the group are saved. It holds everywhere within 10 seconds.',
}

/** What a form of this page changes of a group. */
export function changeOf(
  group: ShownGroup,
  fields: URLSearchParams,
): { readonly patch: object; readonly done: keyof typeof GROUP_CHANGES; readonly back?: string } {
  const lines = (name: string) =>
    (fields.get(name) ?? '')
      .split('\n')
      .map((it) => it.trim())
      .filter(Boolean)
  const gone = new Set(fields.getAll('member'))
  switch (fields.get('change')) {
    case 'add-people': {
      // The first of those that count as equal stays.
      const people = new Map<string, string>()
      for (const it of [...group.people, ...lines('people')]) {
        if (!people.has(folded(it))) people.set(folded(it), it)
      }
      return { patch: { people: [...people.values()] }, done: 'people' }
    }
    case 'remove-people':
      return { patch: { people: group.people.filter((it) => !gone.has(it)) }, done: 'people' }
    case 'add-key':
      return { patch: { keys: [...new Set([...group.keys, ...lines('keys')])] }, done: 'keys' }
    case 'remove-keys':
      return { patch: { keys: group.keys.filter((it) => !gone.has(it)) }, done: 'keys' }
    case 'add-endpoint': {
      const name = fields.get('endpoints')?.trim() ?? ''
      const rules = Object.hasOwn(group.endpoints, name) ? group.endpoints[name] : {}
      return { patch: { endpoints: { [name]: rules } }, done: 'endpoints' }
    }
    case 'remove-endpoints':
      return {
        patch: { endpoints: Object.fromEntries([...gone].map((it) => [it, null])) },
        done: 'endpoints',
      }
    default:
      return { patch: { title: fields.get('title') || null }, done: 'title' }
  }
}

const folded = (person: string) => person.normalize('NFC').toLowerCase()
