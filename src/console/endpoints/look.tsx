import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Page } from '../parts/page.tsx'
import { RoleReport } from '../stages/role-report.tsx'
import { makeGap, streamed } from '../stages/streamed.ts'
import { TestFailed, testRows } from '../stages/test-rows.tsx'
import { type Outcome, stagesOf } from '../stages/tested.ts'
import { Verdict } from '../stages/verdict.tsx'
import type { Visit } from '../visit.ts'

/** A test of an endpoint, whose rows arrive as its stages end. */
export function lookPage(visit: Visit, { name, title, databases }: ShownEndpoint): Response {
  const gap = makeGap()
  const page = (
    <Page visit={visit} title={`Test of ${title}`} section="endpoints" slim>
      <div class="head">
        <div>
          <nav class="crumbs" aria-label="You are here">
            <a href="/console">Endpoints</a> / {name}
          </nav>
          <h1 dir="auto">Test of {title}</h1>
          <p class="dim">From where Tidegate runs. Each line comes as soon as it is known.</p>
        </div>
      </div>
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

/** What the roles may do besides reading, of each database that answered. */
const Reports = ({ outcome: { databases } }: { readonly outcome: Outcome }) => (
  <>
    {databases.map((it, i) =>
      it.findings?.length || it.note ? (
        <section class="stack">
          <h2>
            What the role of <code>{it.database}</code> may do
          </h2>
          <RoleReport tested={it} id={`role-${i}`} />
        </section>
      ) : null,
    )}
  </>
)
