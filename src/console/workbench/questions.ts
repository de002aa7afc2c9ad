import { ask, type Visit } from '../visit.ts'

/** A verified question, as the API shows it. */
export interface ShownQuestion {
  readonly name: string
  readonly question: string
  readonly database?: string
  readonly sql: string
  readonly params?: readonly unknown[]
  readonly as: 'tool' | 'example'
  readonly by: string
  readonly at: string
  readonly state: 'served' | 'broken' | 'unknown'
  readonly problem?: string
}

/** A page does not wait longer than this to hear whether the questions work. */
const MAX_WAIT_MS = 3_000

/** The verified questions of an endpoint, each with its state as far as that is known in time. */
export async function questionsOf(
  visit: Visit,
  endpoint: string,
): Promise<readonly ShownQuestion[]> {
  const signal = AbortSignal.any([visit.signal, AbortSignal.timeout(MAX_WAIT_MS)])
  const { status, body } = await ask(
    { ...visit, signal },
    'GET',
    `/endpoints/${endpoint}/questions`,
  )
  return status === 200 ? body.questions : []
}

/** What a person writes about a statement that they vouch for. */
export interface Draft {
  readonly question: string
  readonly name: string
  readonly as: string
  readonly sql: string
  /** JSON of a list, or nothing. */
  readonly params: string
  readonly database: string
  /** The question that it replaces. */
  readonly mends: string
}

export type DraftField = 'question' | 'name' | 'as' | 'sql'

/** What is wrong with a draft, and where. */
export interface DraftFault {
  readonly field: DraftField
  readonly message: string
}

export const draftIn = (fields: URLSearchParams): Draft => {
  const text = (name: string) => fields.get(name)?.replaceAll('\r\n', '\n').trim() ?? ''
  return {
    question: text('question'),
    name: text('name') || nameFor(text('question')),
    as: text('as'),
    sql: text('sql'),
    params: isList(text('params')) ? text('params') : '',
    database: text('database'),
    mends: text('mends'),
  }
}

const isList = (json: string): boolean => {
  try {
    return Array.isArray(JSON.parse(json))
  } catch {
    return false
  }
}

/** A name made of a question: `what_did_we_earn_in_each`. */
const nameFor = (question: string): string =>
  question
    .slice(0, 300)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+/, '')
    .slice(0, 30)
    .replace(/_$/, '')

/** Saves a draft. Says what is wrong, if something is. */
export async function save(
  visit: Visit,
  endpoint: string,
  { question, name, as, sql, params, database, mends }: Draft,
): Promise<DraftFault | undefined> {
  if (question === '') return { field: 'question', message: 'Write the question.' }
  if (name === '') return { field: 'name', message: 'Write a name, such as revenue_by_country.' }
  const known = await questionsOf(visit, endpoint)
  if (name !== mends && known.some((it) => it.name === name)) {
    return { field: 'name', message: 'Another question has this name. Choose another name.' }
  }
  const path = `/endpoints/${endpoint}/questions/${encodeURIComponent(name)}`
  const body = {
    ...{ question, as, sql },
    ...(params !== '' && { params: JSON.parse(params) as unknown }),
    ...(database !== '' && { database }),
  }
  const { status, body: answer } = await ask(visit, 'PUT', path, body)
  if (status === 200) {
    // One that says what it said before is kept, whether it works or not.
    const { state, problem } = answer as ShownQuestion
    return state === 'broken' ? { field: 'sql', message: `${NOT_SERVED} ${problem}` } : undefined
  }
  const { field = '', message } = answer.error as { field?: string; message: string }
  if (status === 404) return { field: 'name', message: NAME }
  const at = /\.(question|name|as)$/.exec(field)?.[1] as DraftField | undefined
  return { field: at ?? 'sql', message }
}

const NOT_SERVED =
  'It is not served: this statement does not work. Write one that does into the form above, run it, and save that.'
const NAME = 'A name is lower case, and has at most 30 characters.'

/** Removes a question. Says why it stays, if it does. */
export async function remove(
  visit: Visit,
  endpoint: string,
  name: string,
): Promise<string | undefined> {
  const path = `/endpoints/${endpoint}/questions/${encodeURIComponent(name)}`
  const { status, body } = await ask(visit, 'DELETE', path)
  return status === 204 ? undefined : body.error.message
}
