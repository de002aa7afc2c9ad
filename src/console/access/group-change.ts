import { foldName } from '../../ground/index.ts'
import { linesIn, textIn } from '../parts/texts.ts'
import type { ShownGroup } from '../rules/group.ts'

/** Confirmation after each kind of change. */
export const GROUP_CHANGES = {
  title: 'Title saved.',
  people: 'Members saved. Takes effect everywhere within 10 seconds.',
  keys: 'Keys saved. Takes effect everywhere within 10 seconds.',
  endpoints: 'Endpoints saved. Takes effect everywhere within 10 seconds.',
}

/** Change to a group that a form requests. */
export function changeOf(
  group: ShownGroup,
  fields: URLSearchParams,
): { readonly patch: object; readonly done: keyof typeof GROUP_CHANGES } {
  const gone = new Set(fields.getAll('member'))
  switch (fields.get('change')) {
    case 'add-people': {
      // Of names that count as equal, keep the first.
      const people = new Map<string, string>()
      for (const it of [...group.people, ...linesIn(fields, 'people')]) {
        if (!people.has(foldName(it))) people.set(foldName(it), it)
      }
      return { patch: { people: [...people.values()] }, done: 'people' }
    }
    case 'remove-people':
      return { patch: { people: group.people.filter((it) => !gone.has(it)) }, done: 'people' }
    case 'add-key':
      return {
        patch: { keys: [...new Set([...group.keys, ...linesIn(fields, 'keys')])] },
        done: 'keys',
      }
    case 'remove-keys':
      return { patch: { keys: group.keys.filter((it) => !gone.has(it)) }, done: 'keys' }
    case 'add-endpoint': {
      const name = textIn(fields, 'endpoints')
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
