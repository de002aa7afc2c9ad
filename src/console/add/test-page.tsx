import { type Draft, fresh } from '../parts/draft.ts'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Problem } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { RoleReport } from '../stages/role-report.tsx'
import { makeGap, streamed } from '../stages/streamed.ts'
import { TestFailed, testRows } from '../stages/test-rows.tsx'
import { type Outcome, stagesOf } from '../stages/tested.ts'
import { Verdict } from '../stages/verdict.tsx'
import type { Visit } from '../visit.ts'
import { Facts } from './facts.tsx'
import { AddPage, pathOf } from './gauge.tsx'
import { noteIn } from './read-note.ts'
import { StringArea } from './string-form.tsx'

/** The second and third step: the test, whose rows arrive as its stages end, and then what the role may do. */
export function testPage(
  visit: Visit,
  endpoint: ShownEndpoint,
  { draft = fresh, cookies }: { readonly draft?: Draft; readonly cookies?: string | undefined },
): Response {
  const { name, databases } = endpoint
  const note = noteIn(cookies, { name, origin: visit.origin })
  const gaps = { test: makeGap(), role: makeGap() }
  const page = (
    <AddPage visit={visit} now="test" endpoint={endpoint} above={<Problem draft={draft} />}>
      {{
        string: <Facts endpoint={endpoint} note={note} />,
        test: (
          <>
            <p class="dim">From where Tidegate runs. Each line comes as soon as it is known.</p>
            {gaps.test}
          </>
        ),
        role: gaps.role,
      }}
    </AddPage>
  )
  let outcome: Outcome | undefined
  async function* test() {
    outcome = yield* testRows(stagesOf(visit, name), Object.keys(databases).length > 1)
    if (!outcome) return
    yield <Verdict outcome={outcome} />
    if (!outcome.ok) yield <AnotherString visit={visit} endpoint={endpoint} draft={draft} />
  }
  async function* role() {
    if (!outcome) return
    yield <RoleStep visit={visit} endpoint={endpoint} draft={draft} outcome={outcome} />
  }
  return streamed(
    page,
    [
      { gap: gaps.test, parts: test },
      { gap: gaps.role, parts: role },
    ],
    <TestFailed />,
  )
}

const AnotherString = ({
  visit,
  endpoint,
  draft,
}: {
  readonly visit: Visit
  readonly endpoint: ShownEndpoint
  readonly draft: Draft
}) => (
  <>
    <div class="row">
      <a class="button main" href={pathOf(endpoint.name, 'test')}>
        Test again
      </a>
    </div>
    <Replace visit={visit} endpoint={endpoint} draft={draft} />
    <Form visit={visit} action={`${pathOf(endpoint.name, 'test')}/remove`} class="row">
      <button class="button little" type="submit">
        Throw it away
      </button>
      <span class="small dim">Removes the endpoint and its connection string.</span>
    </Form>
  </>
)

/** Another string in the place of the stored one: of another server, or of a role that may less. */
const Replace = ({
  visit,
  endpoint: { name, databases },
  draft,
}: {
  readonly visit: Visit
  readonly endpoint: ShownEndpoint
  readonly draft: Draft
}) =>
  Object.keys(databases).length === 1 ? (
    <details open={draft.refused !== undefined}>
      <summary>Put in another string</summary>
      <Form visit={visit} action={`${pathOf(name, 'test')}/string`} class="stack">
        <StringArea draft={draft} />
        <div class="row">
          <button class="button" type="submit">
            Replace and test it
          </button>
        </div>
      </Form>
    </details>
  ) : (
    <p>
      <a href={`/console/endpoints/${name}/settings`}>Put in another string</a> for one of its
      databases.
    </p>
  )

const RoleStep = ({
  visit,
  endpoint,
  draft,
  outcome: { ok, databases },
}: {
  readonly visit: Visit
  readonly endpoint: ShownEndpoint
  readonly draft: Draft
  readonly outcome: Outcome
}) => {
  if (!ok) return <p class="dim">Comes once the test has passed.</p>
  const more = databases.filter(({ findings, note }) => findings?.length || note)
  const isClean = databases.every(({ findings }) => !findings?.length)
  return (
    <>
      {more.length === 0 && <p>Nothing was found that it may do besides reading.</p>}
      {!isClean && (
        <p>
          The guard and the way statements run refuse to write already. Close it in the database,
          too, and nothing depends on them.
        </p>
      )}
      {more.map((it, i) => (
        <RoleReport tested={it} id={`role-${i}`} />
      ))}
      {!isClean && <Replace visit={visit} endpoint={endpoint} draft={draft} />}
      <div class="row">
        {!isClean && (
          <a class="button" href={pathOf(endpoint.name, 'role')}>
            Look again
          </a>
        )}
        <a class="button main" href={pathOf(endpoint.name, 'who')}>
          {isClean ? 'Go on' : 'Go on without'}
        </a>
      </div>
    </>
  )
}
