import * as z from 'zod/mini'
import { groupRules } from '../../gateway/index.ts'
import { privateHostsOf } from './endpoint-body.ts'
import { nameParam, served } from './endpoints.ts'
import { ApiFault, answer, wrongField } from './fault.ts'
import { named } from './lists.ts'
import { type Route, route } from './route.ts'
import type { Candidate, Surroundings } from './surroundings.ts'

const previewBody = named(
  'PreviewAsked',
  z.strictObject({
    /** The name of a group whose rules and credentials hold. */
    group: z.optional(z.string().check(z.maxLength(31))),
    /** Rules that hold in place of the group's, or without a group. They are not stored. */
    rules: z.optional(groupRules()),
    /** Which database's tables are shown, if there are several. */
    database: z.optional(z.string().check(z.maxLength(31))),
    search: z.optional(z.string().check(z.maxLength(200))),
    cursor: z.optional(z.string().check(z.maxLength(20))),
  }),
)

const shownPreview = named(
  'Preview',
  z.object({
    instructions: z.string(),
    /** As `tools/list` has them. */
    tools: z.array(
      z.looseObject({ name: z.string(), description: z.string(), inputSchema: z.unknown() }),
    ),
    /** The answer of `list_tables` with columns: a page. */
    tables: z.optional(z.looseObject({})),
    /** Why there is no such answer. */
    problem: z.optional(z.string()),
    /** What the operator should know about the rules: which tools are off and why, and unknown names. */
    notes: z.array(z.string()),
    /** An estimate: a token for each four characters. */
    tokens: z.object({
      instructions: z.int(),
      tools: z.int(),
      tables: z.int(),
      total: z.int(),
    }),
  }),
)

/** `/api/endpoints/{name}/preview` */
export const previewRoutes = (): readonly Route[] => [
  route({
    method: 'post',
    path: '/api/endpoints/{name}/preview',
    summary: 'Shows what a model gets of an endpoint, for a group or by rules that are not stored.',
    params: nameParam,
    body: previewBody,
    answers: { 200: { description: 'What the model gets, and its tokens.', schema: shownPreview } },
    async run({ params: { name }, body, signal }, surroundings) {
      const candidate = await candidateOf(name, body, surroundings)
      const { database, search, cursor } = body
      if (database !== undefined) assertSeen(database, candidate)
      const asked = { database, search, cursor }
      const preview = await surroundings.preview(candidate, asked, signal)
      return answer({ ...preview, notes: await surroundings.report(candidate) })
    },
  }),
]

/** Throws {@link ApiFault} if a database is none of those that the model has. */
function assertSeen(database: string, { entry: { value }, group }: Candidate): void {
  const seen = Object.keys(group?.rules.databases ?? value.databases)
  if (seen.includes(database)) return
  throw wrongField('database', `names none that there is. There are: ${seen.join(', ')}.`)
}

/** Throws {@link ApiFault} if rules take a secret of the Worker's own for a URL. */
function assertUrls(rules: z.infer<typeof previewBody>['rules']): void {
  for (const [name, { url = '' }] of Object.entries(rules?.databases ?? {})) {
    if (!/^secret:TIDEGATE_/i.test(url)) continue
    throw wrongField(`rules.databases.${name}.url`, 'names a secret of Tidegate itself.')
  }
}

async function candidateOf(
  name: string,
  { group, rules }: z.infer<typeof previewBody>,
  surroundings: Surroundings,
): Promise<Candidate> {
  assertUrls(rules)
  const it = await served(name, surroundings)
  if (!it) throw new ApiFault(404, `The endpoint ${name} is not there.`)
  const privateHosts = await privateHostsOf(surroundings)
  const found = { entry: it.stored ?? { value: it.value }, privateHosts }
  if (group === undefined) {
    return rules ? { ...found, group: { name: 'preview', rules, credentials: {} } } : found
  }
  const stored = await surroundings.ask('group', { name: group })
  if (!stored) throw wrongField('group', 'names no group that there is.')
  const own = rules ?? (Object.hasOwn(stored.endpoints, name) ? stored.endpoints[name] : undefined)
  if (!own) throw wrongField('group', 'names a group that does not have this endpoint.')
  return { ...found, group: { name: group, rules: own, credentials: stored.credentials } }
}
