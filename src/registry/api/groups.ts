import * as z from 'zod/mini'
import { ConfigError } from '../../gateway/index.ts'
import type { StoredGroup } from '../state/entries.ts'
import { patchBody } from './endpoints.ts'
import { ApiFault, answer, checked, nothing, wrongField } from './fault.ts'
import { asGroup, groupBody, groupOf, shown, shownGroup } from './group-body.ts'
import {
  answerPage,
  assertUnchanged,
  assertWritten,
  changeQuery,
  filterQuery,
  pageOf,
} from './lists.ts'
import { mergePatch } from './merge-patch.ts'
import { fieldsOf } from './noting.ts'
import { type Route, route } from './route.ts'
import { nameParam } from './served.ts'
import type { ApiContext } from './surroundings.ts'

export const reports = z.object({
  endpoints: z.record(
    z.string(),
    z.object({ problem: z.optional(z.string()), notes: z.array(z.string()) }),
  ),
})

/** `/api/groups` */
export const groupRoutes = (): readonly Route[] => [
  route('get', '/api/groups', {
    summary:
      'Lists the groups of people and keys: all, or those with a given endpoint, or a given text in the name or title.',
    query: filterQuery,
    answers: [200, 'A page of groups.', pageOf('groups', shownGroup)],
    run: async ({ query: { cursor, ...filter } }, { ask }) =>
      answerPage('groups', await ask('groups', { after: cursor, ...filter }), shown),
  }),
  route('post', '/api/groups', {
    summary: 'Adds a group: who is in it, which endpoints it may use, and what it may see there.',
    body: groupBody,
    answers: [201, 'The group, whose URL is in Location.', shownGroup],
    says: ({ body: { name } }) => `added group ${name}`,
    async run({ body }, surroundings) {
      if (await surroundings.ask('group', body)) assertWritten('exists', called(body.name))
      const made = await groupOf(body, undefined, surroundings)
      assertWritten(await surroundings.change('putGroup', { entry: made }), called(made.name))
      return answer(shown(made), 201, { location: `/api/groups/${made.name}` })
    },
  }),
  route('get', '/api/groups/{name}', {
    summary: 'Shows a group.',
    params: nameParam,
    answers: [200, 'The group.', shownGroup],
    run: async ({ params }, { ask }) => answer(shown(await stored(params.name, ask))),
  }),
  route('patch', '/api/groups/{name}', {
    summary: 'Changes a group with a JSON Merge Patch (RFC 7396).',
    params: nameParam,
    query: changeQuery,
    body: patchBody,
    answers: [200, 'The group.', shownGroup],
    says: ({ params: { name }, body }) => `changed group ${name}: ${fieldsOf(body)}`,
    async run({ params, query, body }, surroundings) {
      if (Object.hasOwn(body, 'name') && body.name !== params.name) {
        throw wrongField('name', 'cannot be changed. Add another group instead.')
      }
      const was = await stored(params.name, surroundings.ask)
      assertUnchanged(was, query, called(params.name))
      const { changedAt: _, credentials: __, ...value } = was
      const made = await groupOf(checked(groupBody, mergePatch(value, body)), was, surroundings)
      const order = { entry: made, was: was.changedAt }
      assertWritten(await surroundings.change('putGroup', order), called(made.name))
      return answer(shown(made))
    },
  }),
  route('delete', '/api/groups/{name}', {
    summary: 'Removes a group. It no longer restricts its members.',
    params: nameParam,
    answers: [204, 'It is gone.'],
    says: ({ params: { name } }) => `removed group ${name}`,
    async run({ params: { name } }, { change }) {
      assertWritten(await change('deleteGroup', { name }), called(name))
      return nothing()
    },
  }),
  route('post', '/api/groups/{name}/test', {
    summary:
      'Reports, for each endpoint in a group, which tools are off and why, and which names are unknown.',
    params: nameParam,
    answers: [200, 'Notes for the operator, by endpoint name.', reports],
    async run({ params }, surroundings) {
      const group = await stored(params.name, surroundings.ask)
      const reports: [string, object][] = []
      // One at a time: each can hold several connections.
      for (const name of Object.keys(group.endpoints)) {
        reports.push([name, await reportOn(name, group, surroundings)])
      }
      return answer({ endpoints: Object.fromEntries(reports) })
    },
  }),
]

const called = (name: string) => `The group ${name}`

async function stored(name: string, ask: ApiContext['ask']): Promise<StoredGroup> {
  const group = await ask('group', { name })
  if (!group) throw new ApiFault(404, `${called(name)} does not exist.`)
  return group
}

/** Notes for the operator about the rules for one endpoint. */
async function reportOn(
  name: string,
  group: StoredGroup,
  surroundings: ApiContext,
): Promise<{ readonly problem?: string; readonly notes: readonly string[] }> {
  const candidate = await asGroup(name, group, surroundings)
  if (!candidate) return { problem: 'There is no endpoint with this name.', notes: [] }
  try {
    return { notes: await surroundings.report(candidate) }
  } catch (error) {
    if (error instanceof ConfigError) return { problem: error.message, notes: [] }
    throw error
  }
}
