import { Confirm } from '../parts/confirm.tsx'
import { Copy } from '../parts/copy.tsx'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { EndpointHead, Page } from '../parts/page.tsx'
import { State } from '../parts/state.tsx'
import type { Visit } from '../visit.ts'
import { fit } from './fit.ts'
import type { ShownQuestion } from './questions.ts'

/** How a verified question is, as a shape and a word. */
export const QuestionState = ({ state }: Pick<ShownQuestion, 'state'>) =>
  state === 'served' ? (
    <State kind="ok" word="Served" />
  ) : state === 'broken' ? (
    <State kind="low" word="Not served" />
  ) : (
    <State kind="off" word="Served; its database does not answer" />
  )

/** What ends when a question is removed, and the button that does it. */
export const RemovalPage = ({ visit, endpoint, path, it, fault }: QuestionProps) => (
  <Page visit={visit} title={`Remove ${it.name}`} section="endpoints">
    <EndpointHead visit={visit} endpoint={endpoint} tab="workbench" />
    <div class="stack far">
      <h2>Remove {it.name}</h2>
      {fault !== undefined && (
        <div class="note bad" role="alert">
          <p>{fault}</p>
        </div>
      )}
      <Confirm
        visit={visit}
        action={`${path}/questions/${it.name}/remove`}
        verb="Remove the question"
        back={`${path}/questions/${it.name}`}
      >
        <p>
          The model no longer has <b dir="auto">{it.question}</b>. Its statement and its signature
          are not kept.
        </p>
      </Confirm>
    </div>
  </Page>
)

interface QuestionProps {
  readonly visit: Visit
  readonly endpoint: ShownEndpoint
  /** Of the Workbench. */
  readonly path: string
  readonly it: ShownQuestion
  /** Why it could not be removed. */
  readonly fault?: string | undefined
}

/** One verified question: what it says, who vouches for it, and whether it works. */
export const QuestionPage = ({ visit, endpoint, path, it }: Omit<QuestionProps, 'fault'>) => (
  <Page visit={visit} title={`${it.name} of ${endpoint.title}`} section="endpoints">
    <EndpointHead visit={visit} endpoint={endpoint} tab="workbench" />
    <div class="stack far">
      <div class="stack">
        <p class="small">
          <a href={path}>Workbench</a> / verified question
        </p>
        <h2 dir="auto">{it.question}</h2>
        <div class="row">
          <QuestionState state={it.state} />
          <span class="small dim">
            as {it.as === 'tool' ? 'the tool' : 'an example called'} <code>{it.name}</code> ·
            checked by <span dir="auto">{it.by}</span> on {it.at.slice(0, 10)}
            {it.database === undefined ? '' : ` · asks ${it.database}`}
          </span>
        </div>
      </div>
      {it.problem !== undefined && (
        <div class="note low">
          <p>
            <b>It is not served.</b> <span dir="auto">{it.problem}</span>
          </p>
        </div>
      )}
      <section class="stack" aria-labelledby="statement">
        <h3 id="statement">Statement</h3>
        <Copy id="sql" what="the statement">
          {fit(it.sql, 40_000).shown}
        </Copy>
        {it.params && it.params.length > 0 && (
          <p class="small" dir="auto">
            With the values <code>{fit(JSON.stringify(it.params), 8_000).shown}</code>
          </p>
        )}
      </section>
      <div class="row">
        <a class="button" href={`${path}?question=${it.name}`}>
          {it.state === 'broken' ? 'Mend it in the Workbench' : 'Open in the Workbench'}
        </a>
        {endpoint.from === 'registry' ? (
          <a class="button" href={`${path}/questions/${it.name}/remove`}>
            Remove
          </a>
        ) : (
          <span class="small dim">It stands in the configuration, and is changed there.</span>
        )}
      </div>
    </div>
  </Page>
)
