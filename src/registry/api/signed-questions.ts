import type { VerifiedQuestion } from '../../gateway/index.ts'
import type { EndpointEntry } from '../state/entries.ts'
import { ApiFault } from './fault.ts'
import { written } from './lists.ts'
import type { ApiContext, CandidateEndpoint } from './surroundings.ts'

type SentQuestion = Omit<VerifiedQuestion, 'by' | 'at'>

/**
 * Signs the questions that are new or changed, because the sender vouches for them now. The
 * other questions keep their signatures. `fresh` has the names of the newly signed questions.
 */
export function signedQuestions(
  sent: readonly SentQuestion[] | undefined,
  was: EndpointEntry | undefined,
  { by }: ApiContext,
): { readonly signed: readonly VerifiedQuestion[] | undefined; readonly fresh: readonly string[] } {
  const at = written(Date.now())
  const kept = new Map(was?.value.questions?.map((it) => [it.name, it]))
  const fresh: string[] = []
  const signed = sent?.map(({ name, question, database, sql, params, as }) => {
    const old = kept.get(name)
    const content = { name, question, database, sql, params, as }
    if (old && textOf(old) === textOf(content)) return old
    fresh.push(name)
    return { ...content, by, at }
  })
  return { signed, fresh }
}

const textOf = ({ name, question, database, sql, params, as }: SentQuestion): string =>
  JSON.stringify([name, question, database, sql, params, as])

/** Throws {@link ApiFault} unless the database can plan these questions from an endpoint. */
export async function assertAnswered(
  candidate: CandidateEndpoint,
  names: readonly string[],
  { look }: ApiContext,
): Promise<void> {
  if (names.length === 0) return
  const [one] = names
  const found = await look(candidate, names.length === 1 ? { name: one } : {})
  for (const name of names) {
    const problem = found.get(name)
    if (problem === null) continue
    const at = candidate.entry.value.questions?.findIndex((it) => it.name === name)
    throw new ApiFault(422, problem === undefined ? UNSAID(name) : REFUSED(name, problem), {
      field: `questions[${at}].sql`,
    })
  }
}

const UNSAID = (name: string) =>
  `The database did not report in time whether it can run the statement for ${name}. Test the endpoint, then send the question again.`

const REFUSED = (name: string, problem: string) =>
  `The statement for ${name} cannot run: ${problem}`
