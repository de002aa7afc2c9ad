import type { Answers, ConsoleVisit } from '../visit.ts'

/** Result of one stage in a test. */
export type TestStage = Answers['Stage']

/** Result for all databases in an endpoint, after the last stage. */
export type TestOutcome = Answers['Outcome']

/** Result for one database. */
export type TestedDatabase = TestOutcome['databases'][number]

/** Maximum length of a line. A finding lists up to twenty objects. */
const MAX_LINE_CHARS = 1024 * 1024

/** Tests an endpoint. Yields each stage as it finishes, then the outcome. */
export async function* stagesOf(
  visit: ConsoleVisit,
  name: string,
): AsyncGenerator<TestStage | TestOutcome> {
  const answer = await visit.send(`/endpoints/${name}/test`, {
    method: 'POST',
    headers: { accept: 'application/x-ndjson' },
    signal: visit.signal,
  })
  if (!answer.ok || !answer.body) throw new Error(`The API returned status ${answer.status}.`)
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
