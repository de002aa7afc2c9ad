import type { FC } from 'hono/jsx'
import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Copy } from '../parts/copy.tsx'
import { FormDraft, fresh } from '../parts/draft.ts'
import { type ShownEndpoint, storedEndpoint } from '../parts/endpoint.ts'
import { Problem } from '../parts/field.tsx'
import { Form, Submit } from '../parts/form.tsx'
import { createKey, KeyForm } from '../parts/key.tsx'
import { pathWith } from '../parts/pages.tsx'
import { HostTabs } from '../parts/tabs.tsx'
import { groupOf } from '../rules/group.ts'
import { snippetsFor } from '../snippets.ts'
import { type Answers, type ApiRefusal, ask, type ConsoleVisit } from '../visit.ts'
import { AddPage, pathOf } from './steps.tsx'

/** `/console/add/NAME/connect`: creates a key, shows how to connect apps, and turns the endpoint on. */
export const connect = new Hono<{ Bindings: ConsoleVisit }>()
  .get('/', async ({ env, req }) => {
    const endpoint = await storedEndpoint(env, req.param('name'))
    return connectPage({ visit: env, endpoint, group: req.query('group') || undefined })
  })
  .post('/key', async ({ env, req }) => {
    const endpoint = await storedEndpoint(env, req.param('name'))
    const step = { visit: env, endpoint, group: env.fields.get('group') || undefined }
    const created = await makeKey(step)
    if ('made' in created) return connectPage({ ...step, made: created.made })
    return connectPage({ ...step, draft: new FormDraft(env.fields, created.refused) })
  })
  .post('/open', async ({ env, req }) => {
    const endpoint = await storedEndpoint(env, req.param('name'))
    const path = `/endpoints/${endpoint.name}`
    const { refused } = await ask(env, 'PATCH', path, { active: true })
    if (!refused) return seeOther('/console?done=opened')
    return connectPage({ visit: env, endpoint, draft: new FormDraft(undefined, refused) })
  })

interface ConnectStep {
  readonly visit: ConsoleVisit
  readonly endpoint: ShownEndpoint
  /** Group for the key. */
  readonly group?: string | undefined
  readonly draft?: FormDraft
  readonly made?: Answers['NewKey']
}

/** Creates a key for the endpoint and adds it to the group. */
async function makeKey({ visit, endpoint, group }: ConnectStep): ReturnType<typeof createKey> {
  // Check that the group exists before creating a key.
  if (group) await groupOf(visit, group)
  const created = await createKey(visit, [endpoint.name])
  if ('refused' in created || !group) return created
  const refused = await joinGroup(visit, group, created.made.id)
  if (!refused) return created
  // Outside its group, the key would have more access.
  await ask(visit, 'DELETE', `/keys/${created.made.id}`)
  return { refused }
}

/** Maximum number of attempts to change a group that someone else keeps changing. */
const MAX_TRIES = 3

async function joinGroup(
  visit: ConsoleVisit,
  name: string,
  id: string,
): Promise<ApiRefusal | undefined> {
  for (let tries = 1; ; tries++) {
    const group = await groupOf(visit, name)
    const path = pathWith(`/groups/${name}`, { unchangedSince: group.changedAt })
    const answered = await ask(visit, 'PATCH', path, { keys: [...group.keys, id] })
    if (answered.status !== 409 || tries === MAX_TRIES) return answered.refused
  }
}

function connectPage(step: ConnectStep): Response {
  const { visit, endpoint, draft = fresh, made } = step
  return answer(
    <AddPage visit={visit} now="connect" endpoint={endpoint} above={<Problem draft={draft} />}>
      {{
        connect: (
          <>
            {made ? <MadeKey {...step} made={made} /> : <NewKey {...step} />}
            <TurnOn {...step} />
          </>
        ),
      }}
    </AddPage>,
    draft.refused ? 422 : 200,
  )
}

const NewKey: FC<ConnectStep> = ({ visit, endpoint: { name }, group, draft = fresh }) => (
  <>
    <p>
      Apps send a key, or people sign in.{' '}
      {group ? (
        <>
          The key sees what the group <code>{group}</code> sees.
        </>
      ) : (
        'The key sees the whole endpoint.'
      )}
    </p>
    <KeyForm
      visit={visit}
      action={`${pathOf(name, 'connect')}/key`}
      draft={draft}
      isShort
      buttons={<Submit kind="main" text="Create a key" />}
    >
      {group && <input type="hidden" name="group" value={group} />}
    </KeyForm>
  </>
)

const MadeKey: FC<ConnectStep & { readonly made: Answers['NewKey'] }> = ({
  visit,
  endpoint: { name },
  made: { key, label, secretUrls },
}) => {
  const address = { url: `${visit.origin}/mcp/${name}`, name, secretUrl: secretUrls[name] }
  return (
    <>
      <div class="stack">
        <h3 dir="auto">Key for {label}, shown once</h3>
        <Copy id="key" what="the key">
          {key}
        </Copy>
      </div>
      <HostTabs snippets={snippetsFor({ ...address, access: 'key', key })} />
    </>
  )
}

const TurnOn: FC<ConnectStep> = ({ visit, endpoint: { name, active }, made }) =>
  active ? (
    <p>
      The endpoint is on. <a href={`/console/endpoints/${name}`}>View it</a>
    </p>
  ) : (
    <Form visit={visit} action={`${pathOf(name, 'connect')}/open`} class="row">
      <Submit kind={made && 'main'} text="Turn on the endpoint" />
      <span class="small dim">
        It then answers callers.{made && ' Copy the key first: the next page does not show it.'}
      </span>
    </Form>
  )
