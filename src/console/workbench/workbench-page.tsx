import { Copy } from '../parts/copy.tsx'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { EndpointHead, Page } from '../parts/page.tsx'
import type { Visit } from '../visit.ts'
import { AnswerSection } from './answer.tsx'
import { ArgumentForm } from './argument-form.tsx'
import type { Filled } from './arguments.ts'
import { fit, grouped } from './fit.ts'
import { History, type PastRun } from './history.tsx'
import type { Draft, DraftFault, ShownQuestion } from './questions.ts'
import type { Ran } from './run.ts'
import { SaveForm } from './save-form.tsx'
import { Side } from './side.tsx'
import type { ListedTool, Listing } from './tools.ts'

/** All that a page of the Workbench shows. */
export interface Bench {
  readonly visit: Visit
  readonly endpoint: ShownEndpoint
  /** Of this page. */
  readonly path: string
  readonly listing: Listing
  readonly tool: ListedTool | undefined
  readonly filled: Filled
  readonly questions: readonly ShownQuestion[]
  readonly runs: readonly PastRun[]
  /** What is said above everything: what was done, or what is not there. */
  readonly said?: string | undefined
  readonly ran?: Ran | undefined
  readonly draft?: Draft | undefined
  readonly fault?: DraftFault | undefined
}

export const WorkbenchPage = (bench: Bench) => {
  const { visit, endpoint, path, listing, tool, questions, runs, said } = bench
  const broken = questions.filter(({ state }) => state === 'broken')
  return (
    <Page visit={visit} title={`Workbench of ${endpoint.title}`} section="endpoints">
      <EndpointHead visit={visit} endpoint={endpoint} tab="workbench" />
      <div class="beside">
        <Side path={path} tools={listing.tools} chosen={tool?.name} questions={questions} />
        <div class="stack far">
          {said !== undefined && (
            <div class="note" role="status">
              <p dir="auto">{said}</p>
            </div>
          )}
          {listing.problem !== undefined && (
            <div class="note bad">
              <p>The endpoint gives no list of its tools. It says:</p>
              <pre dir="auto">{fit(listing.problem, 4_000).shown}</pre>
            </div>
          )}
          {broken.slice(0, 3).map(({ name, problem = '' }) => (
            <div class="note low small">
              <p>
                <b>{name}</b> is not served: <span dir="auto">{problem}</span>{' '}
                <a href={`${path}?question=${name}`}>Mend it</a>
              </p>
            </div>
          ))}
          {tool && <Tried {...bench} tool={tool} />}
          <History runs={runs} path={path} />
        </div>
      </div>
    </Page>
  )
}

const Tried = ({
  visit,
  endpoint,
  path,
  listing,
  tool,
  filled,
  ran,
  draft,
  fault,
}: Bench & { readonly tool: ListedTool }) => (
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
        mends={draft?.mends || undefined}
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

/** What a hint of a tool says to an app, if it is so and if not. */
const HINTS: Readonly<Record<string, readonly [string | undefined, string | undefined]>> = {
  readOnlyHint: ['only reads', 'may write'],
  destructiveHint: ['may destroy', undefined],
  idempotentHint: ['repeatable', 'not repeatable'],
  openWorldHint: ['reaches out', 'stays within'],
}

/** An endpoint of the configuration is changed there: here is what to write. */
const Configured = ({ draft, by }: { readonly draft: Draft; readonly by: string }) => (
  <section class="stack" aria-labelledby="save">
    <h2 id="save">Verify this question</h2>
    <p class="dim">
      This endpoint stands in the configuration, so the Console does not change it. Add this to its
      list <code>questions</code> in <code>ENDPOINTS</code>, with your question and its name.
    </p>
    <Copy id="configured" what="the question">
      {configured(draft, by)}
    </Copy>
  </section>
)

const configured = ({ sql, params, database, question, name }: Draft, by: string): string =>
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
