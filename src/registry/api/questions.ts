import * as z from 'zod/mini'
import {
  type Endpoint,
  questionFields,
  questionSignature,
  type VerifiedQuestion,
} from '../../gateway/index.ts'
import type { EndpointEntry } from '../state/entries.ts'
import { change } from './endpoints.ts'
import { ApiFault, answer, nothing } from './fault.ts'
import { named, upTo } from './lists.ts'
import { type Route, route } from './route.ts'
import { called, foundCandidate, nameParam } from './served.ts'
import type { ApiContext } from './surroundings.ts'

const questionParam = z.extend(nameParam, { question: upTo(30) })

const { name: _, ...sentFields } = questionFields()

export const shownQuestion = named(
  'VerifiedQuestion',
  z.object({
    ...questionFields(),
    ...questionSignature(),
    /** State for callers. `unknown` means that it is served, but its database did not answer just now. */
    state: z.enum(['served', 'broken', 'unknown']),
    /** Reason it is not served: the database's error, or the missing part of the endpoint. */
    problem: z.optional(z.string()),
  }),
)

/** `/api/endpoints/{name}/questions` */
export const questionRoutes = (): readonly Route[] => [
  route('get', '/api/endpoints/{name}/questions', {
    summary: 'Lists an endpoint’s verified questions, and has its databases plan each one.',
    params: nameParam,
    answers: [200, 'All verified questions.', z.object({ questions: z.array(shownQuestion) })],
    run: async ({ params: { name }, signal }, surroundings) =>
      answer({ questions: await shownQuestions(name, surroundings, signal) }),
  }),
  route('put', '/api/endpoints/{name}/questions/{question}', {
    summary:
      'Saves a verified question, signed by the sender. Its database plans the statement first.',
    params: questionParam,
    body: z.strictObject(sentFields),
    answers: [200, 'The question.', shownQuestion],
    says: ({ params: { name, question } }) => `verified question ${question} of endpoint ${name}`,
    async run({ params: { name, question }, body, signal }, surroundings) {
      const sent = { name: question, ...body }
      const saved = ({ value: { questions = [] } }: EndpointEntry) => {
        const place = questions.findIndex((it) => it.name === question)
        const all: readonly object[] = questions
        return { questions: place < 0 ? [...all, sent] : all.with(place, sent) }
      }
      await change(name, saved, surroundings)
      const all = await shownQuestions(name, surroundings, signal, question)
      return answer(all.find((it) => it.name === question))
    },
  }),
  route('delete', '/api/endpoints/{name}/questions/{question}', {
    summary: 'Removes a verified question.',
    params: questionParam,
    answers: [204, 'It is gone.'],
    says: ({ params: { name, question } }) => `removed question ${question} of endpoint ${name}`,
    async run({ params: { name, question } }, surroundings) {
      await assertUnnamed(name, question, surroundings)
      const removed = ({ value: { questions = [] } }: EndpointEntry) => {
        const left = questions.filter((it) => it.name !== question)
        if (left.length === questions.length) {
          throw new ApiFault(404, `${called(name)} has no question with this name.`)
        }
        return { questions: left.length > 0 ? left : null }
      }
      await change(name, removed, surroundings)
      return nothing()
    },
  }),
]

async function shownQuestions(
  name: string,
  surroundings: ApiContext,
  signal: AbortSignal,
  only?: string,
) {
  const candidate = await foundCandidate(name, surroundings)
  const { value } = candidate.entry
  const { questions = [] } = value
  if (questions.length === 0) return []
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
  'An example is part of the description of query, which this endpoint does not have. Serve it as a tool.'

/** Number of groups searched at once. */
const PAGE = 200

/** Throws {@link ApiFault} if a group's rules list a question, because they would not work without it. */
async function assertUnnamed(endpoint: string, question: string, { ask }: ApiContext) {
  let after: string | undefined
  do {
    const page = await ask('groups', { after, limit: PAGE })
    const naming = page.entries.find(({ endpoints }) =>
      endpoints[endpoint]?.tools?.includes(question),
    )
    if (naming) {
      throw new ApiFault(
        409,
        `The group ${naming.name} names the question ${question}. Remove it from the group first.`,
      )
    }
    after = page.next
  } while (after !== undefined)
}
