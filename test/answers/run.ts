// `npm run answers`: asks the questions of this folder with the real Worker and the official client,
// and prints the cost of each. It fails if an answer is wrong, or if a question costs a tenth more than
// in baseline.json.
//
// npm run answers -- --update           writes baseline.json
// npm run answers -- income-2025        one question, or several
// ANSWERS_MODEL=… ANSWERS_URL=… ANSWERS_KEY=… npm run answers      uses a model instead
import { parseArgs } from 'node:util'
import { startWorker } from '../support/worker.ts'
import { grown, readBaseline, total, writeBaseline } from './baseline.ts'
import { connect, costOf, type Era, eras } from './conversation.ts'
import { evaluate, type Outcome, reader } from './evaluate.ts'
import { modelOf } from './model.ts'
import { questions } from './questions.ts'

const { values, positionals } = parseArgs({
  options: { update: { type: 'boolean' } },
  allowPositionals: true,
})
const unknown = positionals.filter((name) => questions.every((it) => it.name !== name))
if (unknown.length > 0) {
  console.error(`There is no question ${unknown.join(', ')}.`)
  process.exit(1)
}
const asked = questions.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const model = modelOf(process.env)

const worker = await startWorker()
const problems: string[] = []
// A model uses only one era, because the texts are the same in both.
for (const era of model ? (['modern'] as const) : (Object.keys(eras) as Era[])) {
  problems.push(...(await play(era)))
}
await worker.close()
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0

/** Asks the questions in one era, prints the outcomes, and returns the problems. */
async function play(era: Era): Promise<string[]> {
  const host = await connect(`${worker.url}/mcp`, era)
  const told = costOf(host)
  const outcomes = await evaluate(host, asked, model ?? reader)
  await host.close()
  show(era, told, outcomes)
  const wrong = outcomes.flatMap(({ name, wrong }) => (wrong ? [`${era} ${name}: ${wrong}`] : []))
  if (values.update && !model && wrong.length === 0 && asked.length === questions.length) {
    writeBaseline(told, outcomes)
  }
  // A model works in its own way, for which there is no baseline.
  const more = model ? [] : grown(readBaseline(), told, outcomes)
  return [...wrong, ...more.map((it) => `${era} ${it}`)]
}

function show(era: Era, told: number, outcomes: readonly Outcome[]): void {
  const line = (name: string, calls: number, tokens: number) =>
    console.log(`${name.padEnd(32)}${String(calls).padStart(6)}${String(tokens).padStart(8)}`)
  console.log(
    `\n${`${era}, ${model ? process.env.ANSWERS_MODEL : 'the reader'}`.padEnd(33)}calls  tokens`,
  )
  line('told first', 0, told)
  for (const { name, wrong, calls, tokens } of outcomes)
    line(`${wrong ? '✗' : '✓'} ${name}`, calls, tokens)
  const { calls, tokens } = total(outcomes)
  const right = outcomes.filter((it) => !it.wrong).length
  line(`${right} of ${outcomes.length} right`, calls, tokens)
}
