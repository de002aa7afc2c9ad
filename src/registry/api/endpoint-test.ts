import * as z from 'zod/mini'
import type { Diagnosis, DiagnosisStage } from '../../gateway/index.ts'
import { answer } from './fault.ts'
import { fixOfDiagnosis, fixSchema } from './fix.ts'
import { lines, wantsLines } from './lines.ts'
import { named } from './lists.ts'
import { type Route, route } from './route.ts'
import { foundCandidate, nameParam } from './served.ts'
import type { ApiContext, CandidateEndpoint } from './surroundings.ts'

const finding = z.object({
  kind: z.string(),
  severity: z.enum(['high', 'low']),
  sentence: z.string(),
  /** The names of the first objects, and the total number of objects. */
  objects: z.array(z.string()),
  count: z.int(),
  /** SQL that an administrator can run to revoke it. */
  statements: z.array(z.string()),
})

const tested = z.object({
  database: z.string(),
  ok: z.boolean(),
  /** Reason it cannot be used. */
  problem: z.optional(z.string()),
  /** Steps to fix it. */
  fix: z.optional(fixSchema),
  ms: z.optional(z.number()),
  dialect: z.optional(z.string()),
  version: z.optional(z.string()),
  role: z.optional(z.string()),
  tls: z.optional(z.boolean()),
  /** Number of tables and views that the role can read. */
  tables: z.optional(z.int()),
  /** The role's rights other than reading. */
  findings: z.optional(z.array(finding)),
  /** SQL that creates a read-only role. */
  reader: z.optional(z.array(z.string())),
  /** The operator's tools whose statements the database cannot prepare. */
  broken: z.optional(z.array(z.string())),
  note: z.optional(z.string()),
})

export const outcome = z.object({ ok: z.boolean(), databases: z.array(tested) })

/** Result of one stage of a test. */
export const stageSeen = named(
  'Stage',
  z.object({
    database: z.string(),
    stage: z.string(),
    state: z.enum(['ok', 'low', 'bad', 'off']),
    sentence: z.string(),
    detail: z.optional(z.string()),
    ms: z.optional(z.number()),
  }),
)

/** `/api/endpoints/{name}/test` */
export const endpointTestRoutes = (): readonly Route[] => [
  route('post', '/api/endpoints/{name}/test', {
    summary: 'Opens an endpoint’s databases, inspects their roles, and counts their tables.',
    params: nameParam,
    answers: [
      200,
      'The result for each database. Line by line: each stage, and then the same result.',
      outcome,
      z.union([stageSeen, outcome]),
    ],
    async run({ params: { name }, accept, signal }, surroundings) {
      const candidate = await foundCandidate(name, surroundings)
      const outcome = (all: readonly Diagnosis[]) => outcomeOf(all, candidate, surroundings)
      if (wantsLines(accept)) {
        const seen = (it: AbortSignal) => surroundings.diagnoseInStages(candidate, it)
        return lines(signal, (it) => seenInStages(seen(it), outcome))
      }
      return answer(await outcome(await surroundings.diagnose(candidate, signal)))
    },
  }),
]

/** The stages as they happen, then the outcome. */
async function* seenInStages(
  seen: AsyncGenerator<DiagnosisStage | Diagnosis>,
  outcome: (all: readonly Diagnosis[]) => Promise<object>,
): AsyncGenerator<object> {
  const diagnoses: Diagnosis[] = []
  for await (const it of seen) {
    if ('stage' in it) yield it
    else diagnoses.push(it)
  }
  yield await outcome(diagnoses)
}

async function outcomeOf(
  diagnoses: readonly Diagnosis[],
  ...about: [CandidateEndpoint, ApiContext]
) {
  const databases = await Promise.all(
    diagnoses.map(async (it) => {
      const { endpoint: _, failure: __, behind: ___, elapsedMs, ...rest } = it
      const ok = it.problem === undefined && !it.broken?.length
      return { ...rest, ok, ms: elapsedMs, fix: await fixOfDiagnosis(it, ...about) }
    }),
  )
  return { ok: databases.every(({ ok }) => ok), databases }
}
