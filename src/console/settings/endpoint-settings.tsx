import type { FC } from 'hono/jsx'
import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Done } from '../parts/done.tsx'
import { FormDraft, fresh } from '../parts/draft.ts'
import { endpointOf, type ShownEndpoint } from '../parts/endpoint.ts'
import { Field, Problem } from '../parts/field.tsx'
import { Form, Submit } from '../parts/form.tsx'
import { Note } from '../parts/note.tsx'
import { EndpointPage } from '../parts/page.tsx'
import { pathWith } from '../parts/pages.tsx'
import { State } from '../parts/state.tsx'
import { textIn } from '../parts/texts.ts'
import { ask, type ConsoleVisit, NotFound } from '../visit.ts'
import { DatabaseTable } from './database-table.tsx'
import { databases } from './databases.tsx'
import { OwnTools, ownTools } from './own-tools.tsx'
import { markOf, type SettingsSection } from './section.ts'
import { sections } from './sections.tsx'
import { pathOf, SettingsPage } from './settings-page.tsx'

const MESSAGES = {
  database: 'Database saved. Takes effect everywhere within 10 seconds.',
  added: 'Database added. Run the Doctor to check that it answers.',
  removed: 'Database removed, with its connection string.',
  tool: 'Tool saved. It is available from the next call.',
  'tool-removed': 'Tool removed.',
}

const SAVED = { saved: 'Saved. Takes effect everywhere within 10 seconds.' }

/** Maximum number of attempts to save while other changes get in first. */
const MAX_TRIES = 3

/** `/console/endpoints/NAME/settings` */
export const endpointSettings = new Hono<{ Bindings: ConsoleVisit }>()
  .get('/', async (c) => {
    const endpoint = await endpointOf(c.env, c.req.param('name'))
    return settingsPage(c.env, endpoint, { done: c.req.query('done') })
  })
  .post('/sections/:section', async (c) => {
    const visit = c.env
    const section = sections.find(({ id }) => id === c.req.param('section'))
    if (!section) throw new NotFound('There is no such section of settings.')
    for (let tries = 1; ; tries++) {
      const endpoint = await endpointOf(visit, c.req.param('name'))
      const { fields } = visit
      if (fields.get('was') !== (await markOf(endpoint, section.fields))) {
        const draft = new FormDraft(fields, { message: CHANGED })
        return settingsPage(visit, endpoint, { draft, at: section.id, status: 409 })
      }
      const path = `/endpoints/${endpoint.name}`
      const asked = pathWith(path, { unchangedSince: endpoint.changedAt })
      const changed = await ask(visit, 'PATCH', asked, section.read(fields, endpoint))
      // Another part of the endpoint changed. The fields of this form may still be the same, so try again.
      if (changed.status === 409 && endpoint.from === 'registry' && tries < MAX_TRIES) continue
      const refused = changed.refused
      if (!refused) return seeOther(`/console${path}/settings?done=${section.id}#${section.id}`)
      const draft = new FormDraft(fields, refused)
      return settingsPage(visit, endpoint, { draft, at: section.id, status: 422 })
    }
  })
  .get('/delete', async (c) => {
    return deletePage(c.env, await endpointOf(c.env, c.req.param('name')), fresh)
  })
  .post('/delete', async (c) => {
    const visit = c.env
    const endpoint = await endpointOf(visit, c.req.param('name'))
    if (textIn(visit.fields, 'name') !== endpoint.name) {
      const message = `Type ${endpoint.name}, the name in the URL.`
      return deletePage(visit, endpoint, new FormDraft(visit.fields, { field: 'name', message }))
    }
    const { refused } = await ask(visit, 'DELETE', `/endpoints/${endpoint.name}`)
    if (refused) return deletePage(visit, endpoint, new FormDraft(visit.fields, refused))
    return seeOther('/console?done=gone')
  })
  .route('/databases', databases)
  .route('/tools', ownTools)

const CHANGED =
  'Someone else changed this section in the meantime. Your text is still below: open the settings again to see their change, or save again to overwrite it.'

interface ShownSettings {
  readonly done?: string | undefined
  readonly draft?: FormDraft
  /** Section that the draft belongs to. */
  readonly at?: string
  readonly status?: number
}

async function settingsPage(
  visit: ConsoleVisit,
  endpoint: ShownEndpoint,
  { done, draft = fresh, at, status = 200 }: ShownSettings,
): Promise<Response> {
  const path = pathOf(endpoint)
  const isOurs = endpoint.from === 'registry'
  const marks = await Promise.all(sections.map(({ fields }) => markOf(endpoint, fields)))
  return answer(
    <EndpointPage
      visit={visit}
      title={`Settings for ${endpoint.title}`}
      endpoint={endpoint}
      tab="settings"
      under={
        endpoint.active ? (
          <State kind="ok" word="Active" />
        ) : (
          <State kind="off" word="Switched off" />
        )
      }
    >
      <div class="stack far">
        <Done flag={done} messages={MESSAGES} />
        {!isOurs && (
          <Note>
            This endpoint comes from the configuration. Change it there: in <code>ENDPOINTS</code>{' '}
            or <code>DATABASE_URL</code>,{' '}
            {visit.isWorker
              ? 'in wrangler.toml, a secret or .dev.vars.'
              : 'in the environment, or in the file that --vars or --config names.'}{' '}
            The demo is built in: an endpoint that you add replaces it.
          </Note>
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
              The endpoint is removed from keys and groups, and its connection strings are deleted.{' '}
              <a href={`${path}/delete`}>Delete this endpoint</a>
            </p>
          </section>
        )}
      </div>
    </EndpointPage>,
    status,
  )
}

const Section: FC<{
  readonly visit: ConsoleVisit
  readonly endpoint: ShownEndpoint
  readonly section: SettingsSection
  readonly mark: string
  readonly draft: FormDraft
  readonly isSaved: boolean
}> = ({ visit, endpoint, section: { id, title, show }, mark, draft, isSaved }) => (
  <section class="panel stack" id={id}>
    <h2>{title}</h2>
    {isSaved && <Done flag="saved" messages={SAVED} />}
    <Problem draft={draft} />
    {endpoint.from === 'registry' ? (
      <Form visit={visit} action={`${pathOf(endpoint)}/sections/${id}`} class="stack">
        <input type="hidden" name="was" value={mark} />
        {show(draft, endpoint)}
        <div class="row">
          <Submit aria-label={`Save: ${title}`} text="Save" />
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

const deletePage = (visit: ConsoleVisit, endpoint: ShownEndpoint, draft: FormDraft): Response =>
  answer(
    <SettingsPage {...{ visit, endpoint, draft }} at="delete" title={`Delete ${endpoint.title}`}>
      <Note kind="bad">
        Every app with this URL is refused within 10 seconds. The connection strings are deleted.
        The endpoint is removed from keys, groups and grants; a new endpoint with this name does not
        inherit their access. Its call log is kept until it expires.
      </Note>
      <Form visit={visit} action={`${pathOf(endpoint)}/delete`} class="stack">
        <Field
          draft={draft}
          name="name"
          label={`Type ${endpoint.name} to delete it`}
          mono
          required
        />
        <div class="row">
          <Submit text="Delete the endpoint" />
          <a href={pathOf(endpoint)}>Cancel</a>
        </div>
      </Form>
    </SettingsPage>,
    draft.refused ? 422 : 200,
  )
