import * as z from 'zod/mini'
import {
  type Endpoint,
  questionFields,
  questionSignature,
  type VerifiedQuestion,
} from '../../gateway/index.ts'
import { privateHostsOf } from './endpoint-body.ts'
import { change, found, nameParam } from './endpoints.ts'
import { ApiFault, answer } from './fault.ts'
import { named } from './lists.ts'
import { type Route, route } from './route.ts'
import type { Surroundings } from './surroundings.ts'

const questionParam = z.extend(nameParam, { question: z.string().check(z.maxLength(30)) })

const { name: _, ...sentFields } = questionFields()

const shownQuestion = named(
  'VerifiedQuestion',
  z.object({
    ...questionFields(),
    ...questionSignature(),
    /** Whether callers have it. `unknown`: they do, but its database did not answer just now. */
    state: z.enum(['served', 'broken', 'unknown']),
    /** Why it is not served: what the database says, or what the endpoint lacks. */
    problem: z.optional(z.string()),
  }),
)

const one = { description: 'The question.', schema: shownQuestion }

/** `/api/endpoints/{name}/questions` */
export const questionRoutes = (): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/endpoints/{name}/questions',
    summary:
      'Lists the verified questions of an endpoint, and has its databases plan each of them.',
    params: nameParam,
    answers: {
      200: {
        description: 'All of them.',
        schema: z.object({ questions: z.array(shownQuestion) }),
      },
    },
    run: async ({ params: { name }, signal }, surroundings) =>
      answer({ questions: await shownQuestions(name, surroundings, signal) }),
  }),
  route({
    method: 'put',
    path: '/api/endpoints/{name}/questions/{question}',
    summary:
      'Saves a verified question, signed by who sends it. Its database plans the statement first.',
    params: questionParam,
    body: z.strictObject(sentFields),
    answers: { 200: one },
    says: ({ params: { name, question } }) => `verified question ${question} of endpoint ${name}`,
    async run({ params: { name, question }, body, signal }, surroundings) {
      const sent = { name: question, ...body }
      await change(
        name,
        ({ value: { questions = [] } }) => {
          const place = questions.findIndex((it) => it.name === question)
          const all: readonly object[] = questions
          return { questions: place < 0 ? [...all, sent] : all.with(place, sent) }
        },
        surroundings,
      )
      const all = await shownQuestions(name, surroundings, signal, question)
      return answer(all.find((it) => it.name === question))
    },
  }),
  route({
    method: 'delete',
    path: '/api/endpoints/{name}/questions/{question}',
    summary: 'Removes a verified question.',
    params: questionParam,
    answers: { 204: { description: 'It is gone.' } },
    says: ({ params: { name, question } }) => `removed question ${question} of endpoint ${name}`,
    async run({ params: { name, question } }, surroundings) {
      await assertUnnamed(name, question, surroundings)
      await change(
        name,
        ({ value: { questions = [] } }) => {
          const left = questions.filter((it) => it.name !== question)
          if (left.length === questions.length) {
            throw new ApiFault(404, `The endpoint ${name} has no question of this name.`)
          }
          return { questions: left.length > 0 ? left : null }
        },
        surroundings,
      )
      return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } })
    },
  }),
]

async function shownQuestions(
  name: string,
  surroundings: Surroundings,
  signal: AbortSignal,
  only?: string,
) {
  const { stored, value } = await found(name, surroundings)
  const { questions = [] } = value
  if (questions.length === 0) return []
  const privateHosts = await privateHostsOf(surroundings)
  const candidate = { entry: stored ?? { value }, privateHosts }
  const look = await surroundings.look(candidate, { name: only, signal })
  return questions.map((it) => ({ ...it, ...stateOf(it, value, look.get(it.name)) }))
}

function stateOf(
  { as }: VerifiedQuestion,
  { tools, sql }: Endpoint,
  look: string | null | undefined,
): { readonly state: 'served' | 'broken' | 'unknown'; readonly problem?: string } {
  if (typeof look === 'string') return { state: 'broken', problem: look }
  if (as === 'example' && (!sql || (tools && !tools.includes('query')))) {
    return { state: 'broken', problem: NO_QUERY }
  }
  return { state: look === null ? 'served' : 'unknown' }
}

const NO_QUERY =
  'An example stands in the description of query, which this endpoint does not have. Serve it as a tool.'

/** Groups looked through at once. */
const PAGE = 200

/** Throws {@link ApiFault} if the rules of a group name a question: they would not hold without it. */
async function assertUnnamed(endpoint: string, question: string, { ask }: Surroundings) {
  let after: string | undefined
  do {
    const page = await ask('groups', { after, limit: PAGE })
    const naming = page?.entries.find(({ endpoints }) =>
      endpoints[endpoint]?.tools?.includes(question),
    )
    if (naming) {
      throw new ApiFault(
        409,
        `The group ${naming.name} names the question ${question}. Take it out of the group first.`,
      )
    }
    after = page?.next
  } while (after !== undefined)
}
