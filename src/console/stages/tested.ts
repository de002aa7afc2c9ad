import type { ShownMend } from '../parts/mend.tsx'
import type { Visit } from '../visit.ts'

/** What was seen in one stage of a test, as the API tells it. */
export interface Stage {
  readonly stage: string
  readonly database: string
  readonly state: 'ok' | 'low' | 'bad' | 'off'
  readonly sentence: string
  readonly detail?: string
  readonly ms?: number
}

/** One thing that a role may do and does not need. */
export interface Finding {
  readonly kind: string
  readonly severity: 'high' | 'low'
  readonly sentence: string
  readonly objects: readonly string[]
  readonly count: number
  readonly statements: readonly string[]
}

/** How a database answered. */
export interface TestedDatabase {
  readonly database: string
  readonly ok: boolean
  readonly problem?: string
  readonly mend?: ShownMend
  readonly role?: string
  readonly findings?: readonly Finding[]
  readonly reader?: readonly string[]
  readonly note?: string
}

/** How the databases of an endpoint answered, after the last stage. */
export interface Outcome {
  readonly ok: boolean
  readonly databases: readonly TestedDatabase[]
}

/** Characters of a line that are read. Findings name twenty objects each. */
const MAX_LINE_CHARS = 1024 * 1024

/** Tests an endpoint, and gives each stage as soon as it is over, and the outcome at the end. */
export async function* stagesOf(visit: Visit, name: string): AsyncGenerator<Stage | Outcome> {
  const answer = await visit.send(`/endpoints/${name}/test`, {
    method: 'POST',
    headers: { accept: 'application/x-ndjson' },
    signal: visit.signal,
  })
  if (!answer.ok || !answer.body) throw new Error(`The API answered ${answer.status}.`)
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of answer.body) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop()!
    for (const line of lines) yield JSON.parse(line)
    if (rest.length > MAX_LINE_CHARS) throw new Error('A line of the test is too long.')
  }
}
