import { type Answers, ask, type ConsoleVisit } from '../visit.ts'

/** A verified question, with its state for callers. */
export type ShownQuestion = Answers['VerifiedQuestion']

/** Maximum time that a page waits for the state of the questions. */
const MAX_WAIT_MS = 3_000

/** Loads an endpoint's verified questions, with their state if it arrives in time. */
export async function questionsOf(
  visit: ConsoleVisit,
  endpoint: string,
): Promise<readonly ShownQuestion[]> {
  const signal = AbortSignal.any([visit.signal, AbortSignal.timeout(MAX_WAIT_MS)])
  const path = `/endpoints/${endpoint}/questions`
  const { body } = await ask<{ questions: ShownQuestion[] }>({ ...visit, signal }, 'GET', path)
  return body?.questions ?? []
}

/** Form for a verified question. */
export interface QuestionDraft {
  readonly question: string
  readonly name: string
  readonly as: string
  readonly sql: string
  /** A list as JSON, or empty. */
  readonly params: string
  readonly database: string
  /** Name of the question that it replaces. */
  readonly fixes: string
}

export type QuestionField = 'question' | 'name' | 'as' | 'sql'

/** Error in a draft, and its field. */
export interface VerifiedQuestionFault {
  readonly field: QuestionField
  readonly message: string
}

export const draftIn = (fields: URLSearchParams): QuestionDraft => {
  const text = (name: string) => fields.get(name)?.replaceAll('\r\n', '\n').trim() ?? ''
  return {
    question: text('question'),
    name: text('name') || nameFor(text('question')),
    as: text('as'),
    sql: text('sql'),
    params: isList(text('params')) ? text('params') : '',
    database: text('database'),
    fixes: text('fixes'),
  }
}

const isList = (json: string): boolean => {
  try {
    return Array.isArray(JSON.parse(json))
  } catch {
    return false
  }
}

/** A name made from a question: `what_did_we_earn_in_each`. */
const nameFor = (question: string): string =>
  question
    .slice(0, 300)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+/, '')
    .slice(0, 30)
    .replace(/_$/, '')

/** Saves a draft. Returns an error if something is wrong. */
export async function save(
  visit: ConsoleVisit,
  endpoint: string,
  { question, name, as, sql, params, database, fixes }: QuestionDraft,
): Promise<VerifiedQuestionFault | undefined> {
  if (question === '') return { field: 'question', message: 'Enter the question.' }
  if (name === '') return { field: 'name', message: 'Enter a name, such as revenue_by_country.' }
  const known = await questionsOf(visit, endpoint)
  if (name !== fixes && known.some((it) => it.name === name)) {
    return { field: 'name', message: 'Another question has this name. Choose another name.' }
  }
  const path = `/endpoints/${endpoint}/questions/${encodeURIComponent(name)}`
  const body = {
    ...{ question, as, sql },
    ...(params !== '' && { params: JSON.parse(params) as unknown }),
    ...(database !== '' && { database }),
  }
  const saved = await ask<ShownQuestion>(visit, 'PUT', path, body)
  if (saved.ok) {
    // An unchanged question stays stored even if it is broken.
    const { state, problem } = saved.body
    return state === 'broken' ? { field: 'sql', message: `${NOT_SERVED} ${problem}` } : undefined
  }
  const { field = '', message } = saved.refused
  if (saved.status === 404) return { field: 'name', message: NAME }
  const at = /\.(question|name|as)$/.exec(field)?.[1] as QuestionField | undefined
  return { field: at ?? 'sql', message }
}

const NOT_SERVED =
  'The question is not served, because this statement does not work. Run a working one in the form above and save it.'
const NAME = 'A name must be lowercase and at most 30 characters.'

/** Removes a question. Returns the reason if it could not. */
export async function remove(
  visit: ConsoleVisit,
  endpoint: string,
  name: string,
): Promise<string | undefined> {
  const path = `/endpoints/${endpoint}/questions/${encodeURIComponent(name)}`
  return (await ask(visit, 'DELETE', path)).refused?.message
}
