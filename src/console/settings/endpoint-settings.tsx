import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Done } from '../parts/done.tsx'
import { Draft, fresh, refusedBy } from '../parts/draft.ts'
import { endpointOf, NotThere, type ShownEndpoint } from '../parts/endpoint.ts'
import { Field, Problem } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { EndpointHead, Page } from '../parts/page.tsx'
import { pathWith } from '../parts/pages.tsx'
import { State } from '../parts/state.tsx'
import { ask, type Visit } from '../visit.ts'
import { DatabaseTable } from './database-table.tsx'
import { databases } from './databases.tsx'
import { OwnTools, ownTools } from './own-tools.tsx'
import { markOf, type SettingsSection } from './section.ts'
import { sections } from './sections.tsx'

const SAID = {
  database: 'The database is saved. It holds everywhere within 10 seconds.',
  added: 'The database is added. The Doctor says whether it answers.',
  removed: 'The database is removed, and its connection string with it.',
  tool: 'The tool is saved. The next call has it.',
  'tool-removed': 'The tool is removed.',
}

const SAVED = { saved: 'Saved. It holds everywhere within 10 seconds.' }

/** How often a change is tried again that another one came before. */
const MAX_TRIES = 3

/** `/console/endpoints/NAME/settings` */
export const endpointSettings = new Hono<{ Bindings: Visit }>()
  .get('/', async (c) => {
    const endpoint = await endpointOf(c.env, c.req.param('name'))
    return settingsPage(c.env, endpoint, { done: c.req.query('done') })
  })
  .post('/sections/:section', async (c) => {
    const visit = c.env
    const section = sections.find(({ id }) => id === c.req.param('section'))
    if (!section) throw new NotThere('There are no such settings.')
    for (let tries = 1; ; tries++) {
      const endpoint = await endpointOf(visit, c.req.param('name'))
      const { fields } = visit
      if (fields.get('was') !== (await markOf(endpoint, section.fields))) {
        const draft = new Draft(fields, { message: CHANGED })
        return settingsPage(visit, endpoint, { draft, at: section.id, status: 409 })
      }
      const path = `/endpoints/${endpoint.name}`
      const asked = pathWith(path, { unchangedSince: endpoint.changedAt })
      const changed = await ask(visit, 'PATCH', asked, section.read(fields, endpoint))
      // Something else of the endpoint: what this form is about may be as it was.
      if (changed.status === 409 && endpoint.from === 'registry' && tries < MAX_TRIES) continue
      const refused = refusedBy(changed)
      if (!refused) return seeOther(`/console${path}/settings?done=${section.id}#${section.id}`)
      const draft = new Draft(fields, refused)
      return settingsPage(visit, endpoint, { draft, at: section.id, status: 422 })
    }
  })
  .get('/delete', async (c) => {
    return deletePage(c.env, await endpointOf(c.env, c.req.param('name')), fresh)
  })
  .post('/delete', async (c) => {
    const visit = c.env
    const endpoint = await endpointOf(visit, c.req.param('name'))
    if (visit.fields.get('name')?.trim() !== endpoint.name) {
      const message = `Type ${endpoint.name}, the name in its URL.`
      return deletePage(visit, endpoint, new Draft(visit.fields, { field: 'name', message }))
    }
    const refused = refusedBy(await ask(visit, 'DELETE', `/endpoints/${endpoint.name}`))
    if (refused) return deletePage(visit, endpoint, new Draft(visit.fields, refused))
    return seeOther('/console?done=deleted')
  })
  .route('/databases', databases)
  .route('/tools', ownTools)

const CHANGED =
  'Somebody else changed this part meanwhile. What you typed still stands below: look at their change on the page of the settings, or save again to write over it.'

interface Shown {
  readonly done?: string | undefined
  readonly draft?: Draft
  /** The section that the draft is of. */
  readonly at?: string
  readonly status?: number
}

async function settingsPage(
  visit: Visit,
  endpoint: ShownEndpoint,
  { done, draft = fresh, at, status = 200 }: Shown,
): Promise<Response> {
  const path = `/console/endpoints/${endpoint.name}/settings`
  const isOurs = endpoint.from === 'registry'
  const marks = await Promise.all(sections.map(({ fields }) => markOf(endpoint, fields)))
  return answer(
    <Page visit={visit} title={`Settings of ${endpoint.title}`} section="endpoints">
      <EndpointHead visit={visit} endpoint={endpoint} tab="settings">
        {endpoint.active ? (
          <State kind="ok" word="Active" />
        ) : (
          <State kind="off" word="Switched off" />
        )}
      </EndpointHead>
      <div class="stack far">
        <Done flag={done} said={SAID} />
        {!isOurs && (
          <div class="note">
            <p>
              This endpoint is of the configuration, so it is changed where it is written: in{' '}
              <code>ENDPOINTS</code> or <code>DATABASE_URL</code>,{' '}
              {visit.isWorker
                ? 'in wrangler.toml, a secret or .dev.vars.'
                : 'in the environment, or in the file that --vars or --config names.'}{' '}
              Only the demo is built in: an endpoint that you add takes its place.
            </p>
          </div>
        )}
        <DatabaseTable endpoint={endpoint} />
        {sections.map((section, i) => (
          <Section
            visit={visit}
            endpoint={endpoint}
            section={section}
            mark={marks[i] ?? ''}
            draft={section.id === at ? draft : fresh}
            isSaved={section.id === done}
          />
        ))}
        <OwnTools endpoint={endpoint} />
        {isOurs && (
          <section class="stack">
            <h2>Delete</h2>
            <p>
              Keys and groups lose its name, and its connection strings are deleted.{' '}
              <a href={`${path}/delete`}>Delete this endpoint</a>
            </p>
          </section>
        )}
      </div>
    </Page>,
    status,
  )
}

const Section = ({
  visit,
  endpoint,
  section: { id, title, show },
  mark,
  draft,
  isSaved,
}: {
  readonly visit: Visit
  readonly endpoint: ShownEndpoint
  readonly section: SettingsSection
  readonly mark: string
  readonly draft: Draft
  readonly isSaved: boolean
}) => (
  <section class="panel stack" id={id}>
    <h2>{title}</h2>
    {isSaved && <Done flag="saved" said={SAVED} />}
    <Problem draft={draft} />
    {endpoint.from === 'registry' ? (
      <Form
        visit={visit}
        action={`/console/endpoints/${endpoint.name}/settings/sections/${id}`}
        class="stack"
      >
        <input type="hidden" name="was" value={mark} />
        {show(draft, endpoint)}
        <div class="row">
          <button class="button" type="submit" aria-label={`Save: ${title}`}>
            Save
          </button>
        </div>
      </Form>
    ) : (
      <fieldset class="stack" disabled>
        <legend class="hidden">{title}</legend>
        {show(draft, endpoint)}
      </fieldset>
    )}
  </section>
)

const deletePage = (visit: Visit, endpoint: ShownEndpoint, draft: Draft): Response => {
  const path = `/console/endpoints/${endpoint.name}/settings`
  return answer(
    <Page visit={visit} title={`Delete ${endpoint.title}`} section="endpoints" slim>
      <div class="stack">
        <h1>
          Delete <bdi>{endpoint.title}</bdi>
        </h1>
        <Problem draft={draft} />
        <div class="note bad">
          <p>
            Every app with this URL is refused within 10 seconds. Its connection strings are
            deleted, and keys, groups and grants lose its name: another endpoint of this name is not
            theirs. What was recorded of its calls stays for as long as it is kept.
          </p>
        </div>
        <Form visit={visit} action={`${path}/delete`} class="stack">
          <Field
            draft={draft}
            name="name"
            label={`Type ${endpoint.name} to delete it`}
            mono
            required
          />
          <div class="row">
            <button class="button" type="submit">
              Delete the endpoint
            </button>
            <a href={path}>Leave it as it is</a>
          </div>
        </Form>
      </div>
    </Page>,
    draft.refused ? 422 : 200,
  )
}
