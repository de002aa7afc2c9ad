import type { FC } from 'hono/jsx'
import { type FormDraft, fresh } from '../parts/draft.ts'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Problem } from '../parts/field.tsx'
import { ButtonLink, Form, Submit } from '../parts/form.tsx'
import { RoleReport } from '../stages/role-report.tsx'
import { makeGap, streamed } from '../stages/streamed.ts'
import { TestFailed, testRows, Verdict } from '../stages/test-rows.tsx'
import { stagesOf, type TestOutcome } from '../stages/tested.ts'
import type { ConsoleVisit } from '../visit.ts'
import { Facts } from './facts.tsx'
import { noteIn } from './read-note.ts'
import { AddPage, pathOf } from './steps.tsx'
import { StringArea } from './string-form.tsx'

/** Page for the second and third steps: the test, row by row as its stages finish, then the check of the role. */
export function testPage(
  visit: ConsoleVisit,
  endpoint: ShownEndpoint,
  { draft = fresh, cookies }: { readonly draft?: FormDraft; readonly cookies?: string | undefined },
): Response {
  const { name, databases } = endpoint
  const note = noteIn(cookies, { name, origin: visit.origin })
  const gaps = { test: makeGap(), role: makeGap() }
  const page = (
    <AddPage visit={visit} now="test" endpoint={endpoint} above={<Problem draft={draft} />}>
      {{
        string: <Facts visit={visit} endpoint={endpoint} note={note} />,
        test: (
          <>
            <p class="dim">
              The test runs from Tidegate’s location. Results appear as they come in.
            </p>
            {gaps.test}
          </>
        ),
        role: gaps.role,
      }}
    </AddPage>
  )
  const stored = { visit, endpoint, draft }
  let outcome: TestOutcome | undefined
  async function* test() {
    outcome = yield* testRows(stagesOf(visit, name), Object.keys(databases).length > 1)
    if (!outcome) return
    yield <Verdict outcome={outcome} />
    if (!outcome.ok) yield <AnotherString {...stored} />
  }
  async function* role() {
    if (outcome) yield <RoleStep {...stored} outcome={outcome} />
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

interface StoredProps {
  readonly visit: ConsoleVisit
  readonly endpoint: ShownEndpoint
  readonly draft: FormDraft
}

const AnotherString: FC<StoredProps> = (props) => {
  const path = pathOf(props.endpoint.name, 'test')
  return (
    <>
      <div class="row">
        <ButtonLink kind="main" href={path} text="Test again" />
      </div>
      <Replace {...props} />
      <Form visit={props.visit} action={`${path}/remove`} class="row">
        <Submit kind="little" text="Discard" />
        <span class="small dim">Removes the endpoint and its connection string.</span>
      </Form>
    </>
  )
}

/** Form to replace the stored string, for another server or a weaker role. */
const Replace: FC<StoredProps> = ({ visit, endpoint: { name, databases }, draft }) =>
  Object.keys(databases).length === 1 ? (
    <details open={draft.refused !== undefined}>
      <summary>Use another connection string</summary>
      <Form visit={visit} action={`${pathOf(name, 'test')}/string`} class="stack">
        <StringArea draft={draft} />
        <div class="row">
          <Submit text="Replace and test it" />
        </div>
      </Form>
    </details>
  ) : (
    <p>
      <a href={`/console/endpoints/${name}/settings`}>Use another connection string</a> for one of
      its databases.
    </p>
  )

const RoleStep: FC<StoredProps & { readonly outcome: TestOutcome }> = ({
  outcome: { ok, databases },
  ...props
}) => {
  if (!ok) return <p class="dim">Runs after the test passes.</p>
  const { name } = props.endpoint
  const more = databases.filter(({ findings, note }) => findings?.length || note)
  const isClean = databases.every(({ findings }) => !findings?.length)
  return (
    <>
      {more.length === 0 && <p>The check found no rights beyond reading.</p>}
      {!isClean && (
        <p>
          The guard and the read-only session already block writes. Remove these rights in the
          database too, so that you don’t depend on the other layers.
        </p>
      )}
      {more.map((it, i) => (
        <RoleReport tested={it} id={`role-${i}`} />
      ))}
      {!isClean && <Replace {...props} />}
      <div class="row">
        {!isClean && <ButtonLink href={pathOf(name, 'role')} text="Check again" />}
        <ButtonLink
          kind="main"
          href={pathOf(name, 'who')}
          text={isClean ? 'Continue' : 'Continue anyway'}
        />
      </div>
    </>
  )
}
