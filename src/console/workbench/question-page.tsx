import { Confirm } from '../parts/confirm.tsx'
import { Copy } from '../parts/copy.tsx'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { ButtonLink } from '../parts/form.tsx'
import { Note } from '../parts/note.tsx'
import { EndpointPage } from '../parts/page.tsx'
import { fit } from '../parts/page-size.ts'
import { State } from '../parts/state.tsx'
import type { ConsoleVisit } from '../visit.ts'
import type { ShownQuestion } from './questions.ts'

/** State of a verified question: a shape and a word. */
export const QuestionState = ({ state }: Pick<ShownQuestion, 'state'>) =>
  state === 'served' ? (
    <State kind="ok" word="Served" />
  ) : state === 'broken' ? (
    <State kind="low" word="Not served" />
  ) : (
    <State kind="off" word="Served; its database is not answering" />
  )

/** Page to confirm the removal of a question. */
export const RemovalPage = ({ visit, endpoint, path, it, fault }: QuestionProps) => (
  <EndpointPage visit={visit} title={`Remove ${it.name}`} endpoint={endpoint} tab="workbench">
    <div class="stack far">
      <h2>Remove {it.name}</h2>
      {fault !== undefined && (
        <Note kind="bad" role="alert">
          {fault}
        </Note>
      )}
      <Confirm
        visit={visit}
        action={`${path}/questions/${it.name}/remove`}
        verb="Remove the question"
        back={`${path}/questions/${it.name}`}
      >
        <p>
          The model will no longer have <b dir="auto">{it.question}</b>. Its statement and signature
          are deleted.
        </p>
      </Confirm>
    </div>
  </EndpointPage>
)

interface QuestionProps {
  readonly visit: ConsoleVisit
  readonly endpoint: ShownEndpoint
  /** Path of the Workbench. */
  readonly path: string
  readonly it: ShownQuestion
  /** Reason it could not be removed. */
  readonly fault?: string | undefined
}

/** Page of a verified question: statement, author and state. */
export const QuestionPage = ({ visit, endpoint, path, it }: Omit<QuestionProps, 'fault'>) => (
  <EndpointPage
    visit={visit}
    title={`${it.name} in ${endpoint.title}`}
    endpoint={endpoint}
    tab="workbench"
  >
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
            {it.database === undefined ? '' : ` · queries ${it.database}`}
          </span>
        </div>
      </div>
      {it.problem !== undefined && (
        <Note kind="low">
          <b>It is not served.</b> <span dir="auto">{it.problem}</span>
        </Note>
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
        <ButtonLink
          href={`${path}?question=${it.name}`}
          text={it.state === 'broken' ? 'Fix it in the Workbench' : 'Open in the Workbench'}
        />
        {endpoint.from === 'registry' ? (
          <ButtonLink href={`${path}/questions/${it.name}/remove`} text="Remove" />
        ) : (
          <span class="small dim">It comes from the configuration. Change it there.</span>
        )}
      </div>
    </div>
  </EndpointPage>
)
