import type { FC } from 'hono/jsx'
import { Copy } from '../parts/copy.tsx'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Note } from '../parts/note.tsx'
import { EndpointPage } from '../parts/page.tsx'
import { fit } from '../parts/page-size.ts'
import { grouped } from '../parts/texts.ts'
import type { ConsoleVisit } from '../visit.ts'
import { AnswerSection } from './answer.tsx'
import { ArgumentForm } from './argument-form.tsx'
import type { FormValues } from './arguments.ts'
import { History, type PastRun } from './history.tsx'
import type { QuestionDraft, ShownQuestion, VerifiedQuestionFault } from './questions.ts'
import type { ToolRun } from './run.ts'
import { SaveForm } from './save-form.tsx'
import { Side } from './side.tsx'
import type { ListedTool, Listing } from './tools.ts'

/** Data for a page in the Workbench. */
export interface Bench {
  readonly visit: ConsoleVisit
  readonly endpoint: ShownEndpoint
  /** Path of this page. */
  readonly path: string
  readonly listing: Listing
  readonly tool: ListedTool | undefined
  readonly filled: FormValues
  readonly questions: readonly ShownQuestion[]
  readonly runs: readonly PastRun[]
  /** Message at the top: a confirmation, or something that was not found. */
  readonly message?: string | undefined
  readonly ran?: ToolRun | undefined
  readonly draft?: QuestionDraft | undefined
  readonly fault?: VerifiedQuestionFault | undefined
}

export const WorkbenchPage = (bench: Bench) => {
  const { visit, endpoint, path, listing, tool, questions, runs, message } = bench
  const broken = questions.filter(({ state }) => state === 'broken')
  return (
    <EndpointPage
      visit={visit}
      title={`Workbench for ${endpoint.title}`}
      endpoint={endpoint}
      tab="workbench"
    >
      <div class="beside">
        <Side path={path} tools={listing.tools} chosen={tool?.name} questions={questions} />
        <div class="stack far">
          {message !== undefined && <Note role="status">{message}</Note>}
          {listing.problem !== undefined && (
            <div class="note bad">
              <p>The endpoint did not list its tools. Its error:</p>
              <pre dir="auto">{fit(listing.problem, 4_000).shown}</pre>
            </div>
          )}
          {broken.slice(0, 3).map(({ name, problem = '' }) => (
            <div class="note low small">
              <p>
                <b>{name}</b> is not served: <span dir="auto">{problem}</span>{' '}
                <a href={`${path}?question=${name}`}>Fix it</a>
              </p>
            </div>
          ))}
          {tool && <Tried {...bench} tool={tool} />}
          <History runs={runs} path={path} />
        </div>
      </div>
    </EndpointPage>
  )
}

const Tried: FC<Bench & { readonly tool: ListedTool }> = ({
  visit,
  endpoint,
  path,
  listing,
  tool,
  filled,
  ran,
  draft,
  fault,
}) => (
  <>
    <div class="stack">
      <h2 class="mono">{tool.name}</h2>
      <p class="dim described" dir="auto">
        {tool.description}
      </p>
      <div class="row small dim">
        <span>about {grouped(tool.tokens)} tokens</span>
        {Object.entries(HINTS).flatMap(([hint, [yes, no]]) => {
          const says = tool.annotations?.[hint]
          const word = says === undefined ? undefined : says ? yes : no
          return word ? [<span class="badge">{word}</span>] : []
        })}
      </div>
      <ArgumentForm
        visit={visit}
        action={path}
        tool={tool}
        filled={filled}
        fixes={draft?.fixes || undefined}
        explains={
          tool.name === 'query' && listing.tools.some(({ name }) => name === 'explain_query')
        }
      />
    </div>
    {ran && <AnswerSection ran={ran} />}
    {draft &&
      (endpoint.from === 'registry' ? (
        <SaveForm visit={visit} action={`${path}/questions`} draft={draft} fault={fault} />
      ) : (
        <Configured draft={draft} by={visit.operator} />
      ))}
  </>
)

/** Words for a tool's hints, if true and if false. */
const HINTS: Readonly<Record<string, readonly [string | undefined, string | undefined]>> = {
  readOnlyHint: ['read-only', 'can write'],
  destructiveHint: ['destructive', undefined],
  idempotentHint: ['repeatable', 'not repeatable'],
  openWorldHint: ['open world', 'closed world'],
}

/** JSON to add to the configuration, for an endpoint that the Console cannot change. */
const Configured = ({ draft, by }: { readonly draft: QuestionDraft; readonly by: string }) => (
  <section class="stack" aria-labelledby="save">
    <h2 id="save">Verify this question</h2>
    <p class="dim">
      This endpoint comes from the configuration, so the Console cannot change it. Add this to its
      list <code>questions</code> in <code>ENDPOINTS</code>, with your question and a name.
    </p>
    <Copy id="configured" what="the question">
      {configured(draft, by)}
    </Copy>
  </section>
)

const configured = ({ sql, params, database, question, name }: QuestionDraft, by: string): string =>
  fit(
    JSON.stringify(
      {
        name: name || 'NAME',
        question: question || 'QUESTION',
        ...(database && { database }),
        sql,
        ...(params && { params: JSON.parse(params) as unknown }),
        as: 'tool',
        by,
        at: new Date().toISOString(),
      },
      null,
      1,
    ),
    24_000,
  ).shown
