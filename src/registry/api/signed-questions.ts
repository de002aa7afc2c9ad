import type { VerifiedQuestion } from '../../gateway/index.ts'
import type { EndpointEntry } from '../entries.ts'
import { ApiFault } from './fault.ts'
import { written } from './lists.ts'
import type { Surroundings } from './surroundings.ts'

type Sent = Omit<VerifiedQuestion, 'by' | 'at'>

/**
 * Signs the questions that are new or say something else: whoever sends them vouches for them now. The
 * others keep their signatures. `fresh` are the names of those that are signed.
 */
export function signedQuestions(
  sent: readonly Sent[] | undefined,
  was: EndpointEntry | undefined,
  { by }: Pick<Surroundings, 'by'>,
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

const textOf = ({ name, question, database, sql, params, as }: Sent): string =>
  JSON.stringify([name, question, database, sql, params, as])

/** Throws {@link ApiFault} unless the database can plan these questions of an endpoint. */
export async function assertAnswered(
  entry: EndpointEntry,
  names: readonly string[],
  { look }: Pick<Surroundings, 'look'>,
  privateHosts: readonly string[],
): Promise<void> {
  if (names.length === 0) return
  const [one] = names
  const found = await look({ entry, privateHosts }, names.length === 1 ? { name: one } : {})
  for (const name of names) {
    const problem = found.get(name)
    if (problem === null) continue
    const at = entry.value.questions?.findIndex((it) => it.name === name)
    throw new ApiFault(422, problem === undefined ? UNSAID(name) : REFUSED(name, problem), {
      field: `questions[${at}].sql`,
    })
  }
}

const UNSAID = (name: string) =>
  `The database did not say in time whether it can run the statement of ${name}. Look at the endpoint with the test, then send the question again.`

const REFUSED = (name: string, problem: string) => `The statement of ${name} cannot run: ${problem}`
