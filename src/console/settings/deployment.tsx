import type { FC } from 'hono/jsx'
import { Hono } from 'hono/tiny'
import { answer, download, seeOther } from '../answer.ts'
import { Done } from '../parts/done.tsx'
import { FormDraft, fresh } from '../parts/draft.ts'
import { Area, Field, Problem, Tick, Ticks } from '../parts/field.tsx'
import { Form, Submit } from '../parts/form.tsx'
import { Note } from '../parts/note.tsx'
import { Head, Page } from '../parts/page.tsx'
import { State } from '../parts/state.tsx'
import { grouped, textIn } from '../parts/texts.ts'
import { type Answers, ask, type ConsoleVisit, demand } from '../visit.ts'

const SETTINGS = '/console/settings'

const MESSAGES = {
  saved: 'Settings saved. Takes effect everywhere within 10 seconds.',
  resealed: 'Everything is now encrypted with TIDEGATE_SECRET.',
  left: 'Some entries are encrypted again. Press the button again for the rest.',
  unreadable:
    'Everything that can be read is now encrypted with TIDEGATE_SECRET. Neither secret opens the rest: enter those connection strings again. People whose sign-in is affected have to sign in again.',
  restored: 'Export restored. Takes effect everywhere within 10 seconds.',
}

/** `/console/settings`: settings of the whole deployment. */
export const settings = new Hono<{ Bindings: ConsoleVisit }>()
  .get('/', (c) => settingsPage(c.env, { done: c.req.query('done') }))
  .post('/', async (c) => {
    const visit = c.env
    const { fields } = visit
    const was = await demand<Answers['Settings']>(visit, 'GET', '/settings')
    if (fields.get('was') !== wordsOf(was)) {
      const message =
        'Someone else changed the settings in the meantime. Your text is still below: save again to overwrite their change.'
      return settingsPage(visit, { draft: new FormDraft(fields, { message }), status: 409 })
    }
    const hosts = (fields.get('privateHosts') ?? '').split(/\s+/).filter(Boolean)
    const changed = await ask(visit, 'PATCH', '/settings', {
      defaultEndpoint: textIn(fields, 'defaultEndpoint') || null,
      privateHosts: hosts.length > 0 ? hosts : null,
    })
    const refused = changed.refused
    if (refused) return settingsPage(visit, { draft: new FormDraft(fields, refused) })
    return seeOther(`${SETTINGS}?done=saved`)
  })
  .get('/export', async ({ env: { send, signal } }) => {
    const { body } = await send('/export', { signal })
    return download(body, 'application/json', 'tidegate-registry.json')
  })
  .post('/restore', async (c) => {
    const visit = c.env
    const { fields } = visit
    const fail = (message: string, field = 'export') =>
      settingsPage(visit, { restore: new FormDraft(fields, { field, message }) })
    const mode = fields.get('mode') === 'replace' ? 'replace' : 'merge'
    if (mode === 'replace' && !fields.has('sure')) {
      return fail('Select the box to confirm that everything else is removed.', 'mode')
    }
    let exported: unknown
    try {
      exported = JSON.parse(fields.get('export') ?? '')
    } catch {
      return fail('This is not JSON. Paste the whole file, from the first brace to the last.')
    }
    const { refused } = await ask(visit, 'POST', `/restore?mode=${mode}`, exported)
    if (refused) return fail(refused.message)
    return seeOther(`${SETTINGS}?done=restored#registry`)
  })
  .post('/reseal', async (c) => {
    const { refused, body } = await ask<ResealOutcome>(c.env, 'POST', '/credentials/reseal')
    if (refused) return settingsPage(c.env, { draft: new FormDraft(undefined, refused) })
    return seeOther(`${SETTINGS}?done=${outcomeOf(body)}#registry`)
  })

/** The message about credentials and sign-ins that were sealed again. */
function outcomeOf({ left, unreadable, signIns }: ResealOutcome): keyof typeof MESSAGES {
  if (left > 0 || (signIns?.left ?? 0) > 0) return 'left'
  return unreadable.length > 0 || (signIns?.unreadable ?? 0) > 0 ? 'unreadable' : 'resealed'
}

/** The API's response about credentials and sign-ins that were sealed again. */
interface ResealOutcome {
  readonly left: number
  readonly unreadable: readonly object[]
  readonly signIns?: { readonly left: number; readonly unreadable: number }
}

interface ShownDeployment {
  readonly done?: string | undefined
  readonly draft?: FormDraft
  readonly restore?: FormDraft
  readonly status?: number
}

const wordsOf = (settings: object) => JSON.stringify(settings)

async function settingsPage(
  visit: ConsoleVisit,
  { done, draft = fresh, restore = fresh, status }: ShownDeployment,
): Promise<Response> {
  const [settings, state] = await Promise.all([
    demand<Answers['Settings']>(visit, 'GET', '/settings'),
    demand<Answers['Status']>(visit, 'GET', '/status'),
  ])
  const { defaultEndpoint, privateHosts = [] } = settings
  return answer(
    <Page visit={visit} title="Settings" section="settings" slim>
      <Head title="Settings" about="Settings for the whole deployment." />
      <div class="stack far">
        <Done flag={done} messages={MESSAGES} />
        <Problem draft={draft} />
        <Form visit={visit} action={SETTINGS} class="panel stack">
          <h2>Endpoint at /mcp, and private hosts</h2>
          <input type="hidden" name="was" value={wordsOf(settings)} />
          <Field
            draft={draft}
            name="defaultEndpoint"
            label="Endpoint at /mcp"
            stored={defaultEndpoint}
            maxlength={31}
            mono
            hint="Name of an endpoint that was added here. If empty, the oldest one. Endpoints from the configuration take precedence."
          />
          <Area
            draft={draft}
            name="privateHosts"
            label="Private hosts allowed for databases"
            stored={privateHosts.join('\n')}
            mono
            hint="One per line: db.internal, *.internal, 10.1.0.0/16, or * for all. Hosts in the variable PRIVATE_HOSTS are allowed too. Without either, connection strings can use only public hosts."
          />
          <div class="row">
            <Submit kind="main" text="Save" />
          </div>
        </Form>
        <Registry visit={visit} state={state} />
        <Restore visit={visit} draft={restore} />
      </div>
    </Page>,
    status ?? (draft.refused || restore.refused ? 422 : 200),
  )
}

const Registry: FC<{
  readonly visit: ConsoleVisit
  readonly state: Answers['Status']
}> = ({ visit, state }) => {
  const left = (state.credentialsToReseal ?? 0) + (state.signInsToReseal ?? 0)
  return (
    <section class="panel stack" id="registry">
      <h2>Registry</h2>
      <dl class="facts">
        {(['endpoints', 'keys', 'groups', 'credentials'] as const).map((it) => (
          <>
            <dt>{it[0]!.toUpperCase() + it.slice(1)}</dt>
            <dd>{grouped(state[it])}</dd>
          </>
        ))}
        <dt>Encryption</dt>
        <dd>
          {state.secretProblem ? (
            <State kind="bad" word="TIDEGATE_SECRET can’t be used" />
          ) : left > 0 ? (
            <State kind="low" word={`${grouped(left)} with another secret`} />
          ) : (
            <State kind="ok" word="All with TIDEGATE_SECRET" />
          )}
        </dd>
      </dl>
      {state.secretProblem && <Note kind="bad">{state.secretProblem}</Note>}
      {left > 0 && (
        <Form visit={visit} action={`${SETTINGS}/reseal`} class="row">
          <Submit text="Encrypt again" />
          <span class="small dim">
            Repeat until none are left. Then delete TIDEGATE_SECRET_PREVIOUS.
          </span>
        </Form>
      )}
      {left === 0 && state.hasPreviousSecret && (
        <p>
          <code>TIDEGATE_SECRET_PREVIOUS</code> is still set but no longer needed:{' '}
          {visit.isWorker ? (
            <code>npx wrangler secret delete TIDEGATE_SECRET_PREVIOUS</code>
          ) : (
            'remove it from the environment or its file, then restart.'
          )}
        </p>
      )}
      <div class="row">
        <a class="button" href={`${SETTINGS}/export`} download="tidegate-registry.json">
          Export everything
        </a>
        <span class="small dim">
          Connection strings stay encrypted. Keys are exported as hashes.
        </span>
      </div>
    </section>
  )
}

const Restore = ({ visit, draft }: { readonly visit: ConsoleVisit; readonly draft: FormDraft }) => (
  <section class="panel stack">
    <h2>Restore an export</h2>
    <Problem draft={draft} />
    <Form visit={visit} action={`${SETTINGS}/restore`} class="stack">
      <Area
        draft={draft}
        name="export"
        label="Content of the file"
        secret
        mono
        required
        hint="Needs the same TIDEGATE_SECRET as the exporting deployment. Everything is checked first, and written completely or not at all. The Console accepts up to 1 MiB; send a larger file to /api/restore."
      />
      <Ticks draft={draft} name="mode" legend="Existing endpoints, keys and groups">
        <Tick draft={draft} name="mode" value="merge" type="radio" stored>
          Keep them, unless the export has something with the same name
        </Tick>
        <Tick draft={draft} name="mode" value="replace" type="radio" stored={false}>
          Remove them: keep only what is in the export
        </Tick>
      </Ticks>
      <Tick draft={draft} name="sure" stored={false}>
        Yes, remove everything that is not in the export
      </Tick>
      <div class="row">
        <Submit text="Restore" />
      </div>
    </Form>
  </section>
)
