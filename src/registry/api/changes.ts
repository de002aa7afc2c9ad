import * as z from 'zod/mini'
import { answer } from './fault.ts'
import { limited, moment, named, upTo, written } from './lists.ts'
import { type Route, route } from './route.ts'

export const change = named(
  'Change',
  z.object({
    id: z.int(),
    time: moment,
    /** `operator`, or the person who signed in. */
    by: z.string(),
    what: z.string(),
    /** The changed endpoint, if the change was to an endpoint. */
    endpoint: z.optional(z.string()),
  }),
)

export const changes = z.object({ changes: z.array(change), next: z.optional(z.string()) })

/** `/api/changes` */
export const changeRoutes = (): readonly Route[] => [
  route('get', '/api/changes', {
    summary: 'Lists who changed what, newest first.',
    query: z.strictObject({
      limit: limited(200, 50),
      cursor: z.optional(z.string().check(z.regex(/^\d{1,15}$/, 'is not from a list'))),
      endpoint: z.optional(upTo(31)),
    }),
    answers: [200, 'A page of changes. The values that were set are not kept.', changes],
    async run({ query: { limit, cursor, endpoint } }, { ask }) {
      const before = cursor === undefined ? undefined : Number(cursor)
      const found = await ask('notedChanges', { before, endpoint, limit: limit + 1 })
      const changes = found.slice(0, limit).map(({ at, ...it }) => ({ ...it, time: written(at) }))
      const next = found.length > limit ? String(changes.at(-1)?.id) : undefined
      return answer({ changes, next })
    },
  }),
]
