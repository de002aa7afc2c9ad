import type { ShownEndpoint } from '../parts/endpoint.ts'
import { endpointCrumbs, Head, Page } from '../parts/page.tsx'
import { RoleReport } from '../stages/role-report.tsx'
import { makeGap, streamed } from '../stages/streamed.ts'
import { TestFailed, testRows, Verdict } from '../stages/test-rows.tsx'
import { stagesOf, type TestOutcome } from '../stages/tested.ts'
import type { ConsoleVisit } from '../visit.ts'

/** Page for an endpoint's test. Its rows arrive as stages finish. */
export function lookPage(visit: ConsoleVisit, { name, title, databases }: ShownEndpoint): Response {
  const gap = makeGap()
  const page = (
    <Page visit={visit} title={`Test results for ${title}`} section="endpoints" slim>
      <Head
        title={`Test results for ${title}`}
        about="The test runs from Tidegate’s location. Results appear as they come in."
        crumbs={endpointCrumbs(name)}
      />
      <div class="stack far">
        <div class="stack">{gap}</div>
        <p>
          <a href="/console">All endpoints</a>
        </p>
      </div>
    </Page>
  )
  async function* parts() {
    const outcome = yield* testRows(stagesOf(visit, name), Object.keys(databases).length > 1)
    if (!outcome) return
    yield <Verdict outcome={outcome} />
    yield <Reports outcome={outcome} />
  }
  return streamed(page, [{ gap, parts }], <TestFailed />)
}

/** Excess rights of the roles, for each database that answered. */
const Reports = ({ outcome: { databases } }: { readonly outcome: TestOutcome }) => (
  <>
    {databases.map((it, i) =>
      it.findings?.length || it.note ? (
        <section class="stack">
          <h2>
            Rights of the role in <code>{it.database}</code>
          </h2>
          <RoleReport tested={it} id={`role-${i}`} />
        </section>
      ) : null,
    )}
  </>
)
