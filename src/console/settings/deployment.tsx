import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Done } from '../parts/done.tsx'
import { Draft, fresh, refusedBy } from '../parts/draft.ts'
import { Area, Field, Problem, Tick, Ticks } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Page } from '../parts/page.tsx'
import { State } from '../parts/state.tsx'
import { ask, type Visit } from '../visit.ts'

const SETTINGS = '/console/settings'

const SAID = {
  saved: 'The settings are saved. They hold everywhere within 10 seconds.',
  resealed: 'Sealed again, as far as the secrets open it.',
  restored: 'The export is restored. It holds everywhere within 10 seconds.',
}

/** `/console/settings`: what holds for the whole deployment. */
export const settings = new Hono<{ Bindings: Visit }>()
  .get('/', (c) => settingsPage(c.env, { done: c.req.query('done') }))
  .post('/', async (c) => {
    const visit = c.env
    const { fields } = visit
    const was = (await ask(visit, 'GET', '/settings')).body
    if (fields.get('was') !== wordsOf(was)) {
      const message =
        'Somebody else changed the settings meanwhile. What you typed still stands below: save again to write over their change.'
      return settingsPage(visit, { draft: new Draft(fields, { message }), status: 409 })
    }
    const hosts = (fields.get('privateHosts') ?? '').split(/\s+/).filter(Boolean)
    const changed = await ask(visit, 'PATCH', '/settings', {
      defaultEndpoint: fields.get('defaultEndpoint')?.trim() || null,
      privateHosts: hosts.length > 0 ? hosts : null,
    })
    const refused = refusedBy(changed)
    if (refused) return settingsPage(visit, { draft: new Draft(fields, refused) })
    return seeOther(`${SETTINGS}?done=saved`)
  })
  .get('/export', async (c) => {
    const { body, headers } = await c.env.send('/export', { signal: c.env.signal })
    const kept = ['content-type', 'content-disposition', 'cache-control']
    return new Response(body, {
      headers: {
        ...Object.fromEntries(kept.map((it) => [it, headers.get(it) ?? ''])),
        'x-content-type-options': 'nosniff',
      },
    })
  })
  .post('/restore', async (c) => {
    const visit = c.env
    const { fields } = visit
    const fail = (message: string, field = 'export') =>
      settingsPage(visit, { restore: new Draft(fields, { field, message }) })
    const mode = fields.get('mode') === 'replace' ? 'replace' : 'merge'
    if (mode === 'replace' && !fields.has('sure')) {
      return fail('Tick that everything else may be removed.', 'mode')
    }
    let exported: unknown
    try {
      exported = JSON.parse(fields.get('export') ?? '')
    } catch {
      return fail('This is not JSON. Paste the whole file, from its first brace to its last.')
    }
    const refused = refusedBy(await ask(visit, 'POST', `/restore?mode=${mode}`, exported))
    if (refused) return fail(refused.message)
    return seeOther(`${SETTINGS}?done=restored#registry`)
  })
  .post('/reseal', async (c) => {
    const refused = refusedBy(await ask(c.env, 'POST', '/credentials/reseal'))
    if (refused) return settingsPage(c.env, { draft: new Draft(undefined, refused) })
    return seeOther(`${SETTINGS}?done=resealed#registry`)
  })

interface Shown {
  readonly done?: string | undefined
  readonly draft?: Draft
  readonly restore?: Draft
  readonly status?: number
}

const wordsOf = (settings: object) => JSON.stringify(settings)

async function settingsPage(
  visit: Visit,
  { done, draft = fresh, restore = fresh, status }: Shown,
): Promise<Response> {
  const [settings, state] = await Promise.all([
    ask(visit, 'GET', '/settings'),
    ask(visit, 'GET', '/status'),
  ])
  const { defaultEndpoint, privateHosts = [] } = settings.body
  return answer(
    <Page visit={visit} title="Settings" section="settings" slim>
      <div class="head">
        <div>
          <h1>Settings</h1>
          <p class="dim">What holds for the whole deployment.</p>
        </div>
      </div>
      <div class="stack far">
        <Done flag={done} said={SAID} />
        <Problem draft={draft} />
        <Form visit={visit} action={SETTINGS} class="panel stack">
          <h2>Endpoint at /mcp, and private hosts</h2>
          <input type="hidden" name="was" value={wordsOf(settings.body)} />
          <Field
            draft={draft}
            name="defaultEndpoint"
            label="Endpoint at /mcp"
            stored={defaultEndpoint}
            maxlength={31}
            mono
            hint="The name of one that was added here. Empty: the oldest of them. Those of the configuration come before."
          />
          <Area
            draft={draft}
            name="privateHosts"
            label="Private hosts that databases may have"
            stored={privateHosts.join('\n')}
            mono
            hint="One in a line: db.internal, *.internal, 10.1.0.0/16, or * for all. Those in the variable PRIVATE_HOSTS count, too. Without either, a connection string leads to public hosts only."
          />
          <div class="row">
            <button class="button main" type="submit">
              Save
            </button>
          </div>
        </Form>
        <Registry visit={visit} state={state.body} />
        <Restore visit={visit} draft={restore} />
      </div>
    </Page>,
    status ?? (draft.refused || restore.refused ? 422 : 200),
  )
}

interface Status {
  readonly endpoints: number
  readonly keys: number
  readonly groups: number
  readonly credentials: number
  readonly credentialsToReseal?: number
  readonly signInsToReseal?: number
  readonly secretProblem?: string
  readonly hasPreviousSecret: boolean
}

const Registry = ({ visit, state }: { readonly visit: Visit; readonly state: Status }) => {
  const left = (state.credentialsToReseal ?? 0) + (state.signInsToReseal ?? 0)
  return (
    <section class="panel stack" id="registry">
      <h2>What is stored</h2>
      <dl class="facts">
        {(['endpoints', 'keys', 'groups', 'credentials'] as const).map((it) => (
          <>
            <dt>{it[0]!.toUpperCase() + it.slice(1)}</dt>
            <dd>{state[it].toLocaleString('en')}</dd>
          </>
        ))}
        <dt>Sealed</dt>
        <dd>
          {state.secretProblem ? (
            <State kind="bad" word="TIDEGATE_SECRET can’t be used" />
          ) : left > 0 ? (
            <State kind="low" word={`${left.toLocaleString('en')} with the previous secret`} />
          ) : (
            <State kind="ok" word="All with TIDEGATE_SECRET" />
          )}
        </dd>
      </dl>
      {state.secretProblem && (
        <div class="note bad">
          <p>{state.secretProblem}</p>
        </div>
      )}
      {left > 0 && (
        <Form visit={visit} action={`${SETTINGS}/reseal`} class="row">
          <button class="button" type="submit">
            Seal again
          </button>
          <span class="small dim">
            Repeat it until none is left. Then delete TIDEGATE_SECRET_PREVIOUS.
          </span>
        </Form>
      )}
      {left === 0 && state.hasPreviousSecret && (
        <p>
          <code>TIDEGATE_SECRET_PREVIOUS</code> is still set, and nothing needs it any more:{' '}
          {visit.isWorker ? (
            <code>npx wrangler secret delete TIDEGATE_SECRET_PREVIOUS</code>
          ) : (
            'take it out of the environment or the file that has it, and start again.'
          )}
        </p>
      )}
      <div class="row">
        <a class="button" href={`${SETTINGS}/export`} download="tidegate-registry.json">
          Export everything
        </a>
        <span class="small dim">
          Connection strings stay sealed, and of keys there are only hashes.
        </span>
      </div>
    </section>
  )
}

const Restore = ({ visit, draft }: { readonly visit: Visit; readonly draft: Draft }) => (
  <section class="panel stack">
    <h2>Restore an export</h2>
    <Problem draft={draft} />
    <Form visit={visit} action={`${SETTINGS}/restore`} class="stack">
      <Area
        draft={draft}
        name="export"
        label="The text of the file"
        secret
        mono
        required
        hint="A deployment with the same TIDEGATE_SECRET restores it. Everything is checked first, and written whole or not at all. The Console takes up to 1 MiB; for a larger file, send it to /api/restore."
      />
      <Ticks draft={draft} name="mode" legend="What is there already">
        <Tick draft={draft} name="mode" value="merge" type="radio" stored>
          Stays, unless the export has something of the same name
        </Tick>
        <Tick draft={draft} name="mode" value="replace" type="radio" stored={false}>
          Is removed: endpoints, keys and groups are those of the export alone
        </Tick>
      </Ticks>
      <Tick draft={draft} name="sure" stored={false}>
        Everything that the export does not have may be removed
      </Tick>
      <div class="row">
        <button class="button" type="submit">
          Restore
        </button>
      </div>
    </Form>
  </section>
)
