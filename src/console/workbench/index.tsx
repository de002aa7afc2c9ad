import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { endpointOf, type ShownEndpoint } from '../parts/endpoint.ts'
import { type ConsoleVisit, NotFound } from '../visit.ts'
import { empty, type FormValues, filledFrom, filledWith, sent } from './arguments.ts'
import { argumentsOf, pastRuns } from './history.tsx'
import { QuestionPage, RemovalPage } from './question-page.tsx'
import {
  draftIn,
  type QuestionDraft,
  questionsOf,
  remove,
  type ShownQuestion,
  save,
} from './questions.ts'
import { run, type ToolRun } from './run.ts'
import { type ListedTool, toolsOf } from './tools.ts'
import { type Bench, WorkbenchPage } from './workbench-page.tsx'

/** `/console/endpoints/NAME/workbench`: runs tools by hand, and edits verified questions. */
export const workbench = new Hono<{ Bindings: ConsoleVisit }>()
  .get('/', async (c) => {
    const { tool, arguments: given, values, again, question, done } = c.req.query()
    const bench = await benchOf(c.env, c.req.param('name'))
    const opened =
      again !== undefined
        ? ofRun(bench, again)
        : question !== undefined
          ? ofQuestion(bench, question)
          : withoutValues(ofTool(bench, tool, given), values === 'left-out')
    const message =
      opened.message ?? (Object.hasOwn(DONE, done ?? '') ? DONE[done ?? ''] : undefined)
    return answer(<WorkbenchPage {...bench} {...opened} message={message} />)
  })
  .post('/', async (c) => {
    const { fields } = c.env
    const bench = await benchOf(c.env, c.req.param('name'))
    const name = fields.get('tool') ?? ''
    const tool = bench.listing.tools.find((it) => it.name === name)
    if (!tool) return answer(<WorkbenchPage {...bench} {...ofTool(bench, name)} />, 422)
    const { filled, given } = sent(tool, fields)
    const fixed = bench.questions.find((it) => it.name === fields.get('fixes'))
    if (!given) {
      const draft = fixed && draftOf(fixed)
      return answer(<WorkbenchPage {...bench} tool={tool} filled={filled} draft={draft} />, 422)
    }
    const asked = fields.has('explain') && name === 'query' ? 'explain_query' : name
    const ran = await run(c.env, bench.endpoint.name, asked, given)
    const draft = draftOfRun(ran, fixed)
    return answer(<WorkbenchPage {...bench} tool={tool} filled={filled} ran={ran} draft={draft} />)
  })
  .post('/questions', async (c) => {
    const endpoint = await endpointOf(c.env, c.req.param('name'))
    const draft = draftIn(c.env.fields)
    const fault = await save(c.env, endpoint.name, draft)
    const path = pathOf(endpoint)
    if (!fault) return seeOther(`${path}?tool=query&done=saved`)
    const bench = await benchOf(c.env, endpoint.name)
    return answer(
      <WorkbenchPage {...bench} {...ofDraft(bench, draft)} draft={draft} fault={fault} />,
      422,
    )
  })
  .get('/questions/:question', async (c) => {
    const { visit, endpoint, it } = await oneQuestion(c.env, c.req.param())
    return answer(
      <QuestionPage visit={visit} endpoint={endpoint} path={pathOf(endpoint)} it={it} />,
    )
  })
  .get('/questions/:question/remove', async (c) => {
    const { visit, endpoint, it } = await oneQuestion(c.env, c.req.param())
    return answer(<RemovalPage visit={visit} endpoint={endpoint} path={pathOf(endpoint)} it={it} />)
  })
  .post('/questions/:question/remove', async (c) => {
    const { visit, endpoint, it } = await oneQuestion(c.env, c.req.param())
    const fault = await remove(visit, endpoint.name, it.name)
    const path = pathOf(endpoint)
    if (fault === undefined) return seeOther(`${path}?done=removed`)
    return answer(
      <RemovalPage visit={visit} endpoint={endpoint} path={path} it={it} fault={fault} />,
      409,
    )
  })

const pathOf = ({ name }: ShownEndpoint) => `/console/endpoints/${name}/workbench`

const DONE: Readonly<Record<string, string>> = {
  saved: 'Saved. The model can now use the question.',
  removed: 'Removed. The model no longer has the question.',
}

type OpenedWorkbench = Pick<Bench, 'tool' | 'filled' | 'draft' | 'message'>

/** Data that all pages in the Workbench use. */
async function benchOf(visit: ConsoleVisit, name: string | undefined): Promise<Bench> {
  const endpoint = await endpointOf(visit, name)
  const [listing, questions, runs] = await Promise.all([
    toolsOf(visit, endpoint.name),
    questionsOf(visit, endpoint.name),
    pastRuns(visit, endpoint.name),
  ])
  const path = pathOf(endpoint)
  return { visit, endpoint, path, listing, tool: undefined, filled: empty, questions, runs }
}

/** Opens the tool with this name, or the most common one, with arguments from an address. */
function ofTool({ listing: { tools } }: Bench, name?: string, given?: string): OpenedWorkbench {
  const tool = tools.find((it) => it.name === (name ?? 'query')) ?? tools[0]
  if (!tool) return { tool, filled: empty }
  if (name !== undefined && tool.name !== name) {
    return { tool, filled: empty, message: `This endpoint has no tool named ${name.slice(0, 64)}.` }
  }
  return { tool, filled: given === undefined ? empty : filledWith(tool, given) }
}

/** Opens an earlier run, as far as the call log has it. */
function ofRun(bench: Bench, id: string): OpenedWorkbench {
  const found = bench.runs.find((it) => it.id === id)
  if (!found) return { ...ofTool(bench), message: 'This run is no longer in the history.' }
  const opened = ofTool(bench, found.tool)
  const given = argumentsOf(found, bench.endpoint)
  if (!given) return { ...opened, message: 'The call log does not have the arguments of this run.' }
  const { records } = bench.endpoint
  const isWhole = records ? records.literals : false
  return { ...opened, filled: filledOf(opened.tool, given, isWhole ? undefined : WITHOUT_VALUES) }
}

/** Adds a note to a statement from the call log if its values are missing. */
const withoutValues = (opened: OpenedWorkbench, isLeftOut: boolean): OpenedWorkbench => {
  const { filled = empty } = opened
  const note = filled.note ?? (isLeftOut && filled.texts.size > 0 ? WITHOUT_VALUES : undefined)
  return { ...opened, filled: { ...filled, note } }
}

const WITHOUT_VALUES =
  'This endpoint’s call log has no values. Enter one for each ? in the statement.'

/** Opens a verified question, with its statement in the form. */
function ofQuestion(bench: Bench, name: string): OpenedWorkbench {
  const found = bench.questions.find((it) => it.name === name)
  if (!found)
    return { ...ofTool(bench), message: `There is no question named ${name.slice(0, 30)}.` }
  const draft = draftOf(found)
  return { ...ofDraft(bench, draft), draft }
}

function ofDraft(bench: Bench, { sql, params, database }: QuestionDraft): OpenedWorkbench {
  const opened = ofTool(bench, 'query')
  const given = {
    sql,
    ...(params !== '' && { params: JSON.parse(params) as unknown }),
    ...(database !== '' && { database }),
  }
  return { ...opened, filled: filledOf(opened.tool, given) }
}

const filledOf = (
  tool: ListedTool | undefined,
  given: Readonly<Record<string, unknown>>,
  note?: string,
): FormValues => (tool ? filledFrom(tool, given, note) : empty)

const draftOf = ({
  question,
  name,
  as,
  sql,
  params,
  database = '',
}: ShownQuestion): QuestionDraft => ({
  ...{ question, name, as, sql, database, fixes: name },
  params: params ? JSON.stringify(params) : '',
})

/** Draft of a question after a run, with the statement if it succeeded. */
function draftOfRun(
  { tool, given, isError }: ToolRun,
  fixed: ShownQuestion | undefined,
): QuestionDraft | undefined {
  const { sql, params, database } = given
  const draft = fixed && draftOf(fixed)
  if (tool !== 'query' || isError || typeof sql !== 'string') return draft
  return {
    ...(draft ?? { question: '', name: '', as: 'tool', fixes: '' }),
    sql,
    params: Array.isArray(params) && params.length > 0 ? JSON.stringify(params) : '',
    database: typeof database === 'string' ? database : '',
  }
}

async function oneQuestion(
  visit: ConsoleVisit,
  { name, question }: { readonly name?: string; readonly question: string },
) {
  const endpoint = await endpointOf(visit, name)
  const all = await questionsOf(visit, endpoint.name)
  const it = all.find((one) => one.name === question)
  if (!it) throw new NotFound(`There is no question named ${question.slice(0, 30)}.`)
  return { visit, endpoint, it }
}
