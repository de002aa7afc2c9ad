import * as z from 'zod/mini'
import { answer } from './fault.ts'
import { moment, named, written } from './lists.ts'
import { type Route, route } from './route.ts'

const change = named(
  'Change',
  z.object({
    id: z.int(),
    time: moment,
    /** `operator`, or the person who signed in. */
    by: z.string(),
    what: z.string(),
    /** The endpoint that was changed, if it was one. */
    endpoint: z.optional(z.string()),
  }),
)

/** `/api/changes` */
export const changeRoutes = (): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/changes',
    summary: 'Lists who changed what, the newest first.',
    query: z.strictObject({
      limit: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(200)), 50),
      cursor: z.optional(z.string().check(z.regex(/^\d{1,15}$/, 'is not from a list'))),
      endpoint: z.optional(z.string().check(z.maxLength(31))),
    }),
    answers: {
      200: {
        description: 'A page of changes. Nothing is kept of what was set.',
        schema: z.object({ changes: z.array(change), next: z.optional(z.string()) }),
      },
    },
    async run({ query: { limit, cursor, endpoint } }, { ask }) {
      const before = cursor === undefined ? undefined : Number(cursor)
      const found = (await ask('notedChanges', { before, endpoint, limit: limit + 1 })) ?? []
      const changes = found.slice(0, limit)
      const next = found.length > limit ? String(changes.at(-1)?.id) : undefined
      return answer({
        changes: changes.map(({ at, ...it }) => ({ ...it, time: written(at) })),
        next,
      })
    },
  }),
]
