import * as z from 'zod/mini'
import { groupRules } from '../../gateway/index.ts'
import { assertNotOwnSecret } from './connection.ts'
import { answer, wrongField } from './fault.ts'
import { named, upTo } from './lists.ts'
import { type Route, route } from './route.ts'
import { foundCandidate, nameParam } from './served.ts'
import type { ApiContext, CandidateEndpoint } from './surroundings.ts'

const previewBody = named(
  'PreviewAsked',
  z.strictObject({
    /** The name of the group whose rules and credentials apply. */
    group: z.optional(upTo(31)),
    /** Rules that apply instead of the group's, or without a group. They are not stored. */
    rules: z.optional(groupRules()),
    /** The database whose tables are shown, if there are several. */
    database: z.optional(upTo(31)),
    search: z.optional(upTo(200)),
    cursor: z.optional(upTo(20)),
  }),
)

export const shownPreview = named(
  'Preview',
  z.object({
    instructions: z.string(),
    /** The tools as `tools/list` returns them. */
    tools: z.array(
      z.looseObject({ name: z.string(), description: z.string(), inputSchema: z.unknown() }),
    ),
    /** A page of the result of `list_tables` with columns. */
    tables: z.optional(
      z.looseObject({
        tables: z.array(
          z.looseObject({ name: z.string(), columns: z.union([z.int(), z.array(z.string())]) }),
        ),
        total: z.int(),
      }),
    ),
    /** Reason that `tables` is missing. */
    problem: z.optional(z.string()),
    /** Notes for the operator about the rules: tools that are off and the reason, and unknown names. */
    notes: z.array(z.string()),
    /** An estimate: one token per four characters. */
    tokens: z.object({ instructions: z.int(), tools: z.int(), tables: z.int(), total: z.int() }),
  }),
)

/** `/api/endpoints/{name}/preview` */
export const previewRoutes = (): readonly Route[] => [
  route('post', '/api/endpoints/{name}/preview', {
    summary:
      'Shows what a model sees of an endpoint, for a group or with rules that are not stored.',
    params: nameParam,
    body: previewBody,
    answers: [200, 'What the model sees, and the number of tokens.', shownPreview],
    async run({ params: { name }, body, signal }, surroundings) {
      const candidate = await ruled(name, body, surroundings)
      const { database, search, cursor } = body
      if (database !== undefined) assertSeen(database, candidate)
      const asked = { database, search, cursor }
      const preview = await surroundings.preview(candidate, asked, signal)
      return answer({ ...preview, notes: await surroundings.report(candidate) })
    },
  }),
]

/** Throws {@link ApiFault} if the model cannot see this database. */
function assertSeen(database: string, { entry: { value }, group }: CandidateEndpoint): void {
  const seen = Object.keys(group?.rules.databases ?? value.databases)
  if (seen.includes(database)) return
  throw wrongField('database', `names an unknown database. There are: ${seen.join(', ')}.`)
}

async function ruled(
  name: string,
  { group, rules }: z.infer<typeof previewBody>,
  surroundings: ApiContext,
): Promise<CandidateEndpoint> {
  for (const [database, { url = '' }] of Object.entries(rules?.databases ?? {})) {
    assertNotOwnSecret(url, `rules.databases.${database}.url`)
  }
  const candidate = await foundCandidate(name, surroundings)
  if (group === undefined) {
    return rules ? { ...candidate, group: { name: 'preview', rules, credentials: {} } } : candidate
  }
  const stored = await surroundings.ask('group', { name: group })
  if (!stored) throw wrongField('group', 'names an unknown group.')
  const own = rules ?? (Object.hasOwn(stored.endpoints, name) ? stored.endpoints[name] : undefined)
  if (!own) throw wrongField('group', 'names a group that does not have this endpoint.')
  return { ...candidate, group: { name: group, rules: own, credentials: stored.credentials } }
}
