import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Copy } from '../parts/copy.tsx'
import { Draft, fresh, type Refused, refusedBy } from '../parts/draft.ts'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Field, Problem } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { pathWith } from '../parts/pages.tsx'
import { HostTabs } from '../parts/tabs.tsx'
import { snippetsFor } from '../snippets.ts'
import { ask, type Visit } from '../visit.ts'
import { AddPage, pathOf } from './gauge.tsx'
import { groupOf } from './group.ts'
import { storedOne } from './stored.ts'

/** A key that was just made. It is shown in this answer only. */
interface Made {
  readonly id: string
  readonly key: string
  readonly label: string
  readonly secretUrls?: Readonly<Record<string, string>>
}

/** `/console/add/NAME/connect`: a key, how apps get it, and the endpoint opens. */
export const connect = new Hono<{ Bindings: Visit }>()
  .get('/', async ({ env, req }) => {
    const endpoint = await storedOne(env, req.param('name'))
    return connectPage(env, endpoint, req.query('group') || undefined, fresh)
  })
  .post('/key', async ({ env, req }) => {
    const endpoint = await storedOne(env, req.param('name'))
    const group = env.fields.get('group') || undefined
    const made = await makeKey(env, endpoint, group)
    if ('refused' in made) {
      return connectPage(env, endpoint, group, new Draft(env.fields, made.refused))
    }
    return connectPage(env, endpoint, group, fresh, made)
  })
  .post('/open', async ({ env, req }) => {
    const endpoint = await storedOne(env, req.param('name'))
    const path = `/endpoints/${endpoint.name}`
    const refused = refusedBy(await ask(env, 'PATCH', path, { active: true }))
    if (!refused) return seeOther('/console?done=opened')
    return connectPage(env, endpoint, undefined, new Draft(undefined, refused))
  })

/** Makes a key for the endpoint, and puts it into the group. */
async function makeKey(
  visit: Visit,
  { name }: ShownEndpoint,
  group: string | undefined,
): Promise<Made | { readonly refused: Refused }> {
  const text = (field: string) => visit.fields.get(field)?.trim() ?? ''
  // A group that is not there is known before there is a key.
  if (group) await groupOf(visit, group)
  const person = text('person')
  const asked = { label: text('label'), endpoints: [name], ...(person && { person }) }
  const answered = await ask(visit, 'POST', '/keys', asked)
  const refused = refusedBy(answered)
  if (refused) return { refused }
  const made: Made = answered.body
  const problem = group && (await joinGroup(visit, group, made.id))
  if (!problem) return made
  // Outside its group, the key would open more.
  await ask(visit, 'DELETE', `/keys/${made.id}`)
  return { refused: problem }
}

/** How often a group is changed again if somebody else changed it meanwhile. */
const MAX_TRIES = 3

async function joinGroup(visit: Visit, name: string, id: string): Promise<Refused | undefined> {
  for (let tries = 1; ; tries++) {
    const group = await groupOf(visit, name)
    const path = pathWith(`/groups/${name}`, { unchangedSince: group.changedAt })
    const answered = await ask(visit, 'PATCH', path, { keys: [...group.keys, id] })
    if (answered.status !== 409 || tries === MAX_TRIES) return refusedBy(answered)
  }
}

const connectPage = (
  visit: Visit,
  endpoint: ShownEndpoint,
  group: string | undefined,
  draft: Draft,
  made?: Made,
): Response =>
  answer(
    <AddPage visit={visit} now="connect" endpoint={endpoint} above={<Problem draft={draft} />}>
      {{
        connect: (
          <>
            {made ? (
              <MadeKey visit={visit} endpoint={endpoint} made={made} />
            ) : (
              <NewKey visit={visit} endpoint={endpoint} group={group} draft={draft} />
            )}
            <Open visit={visit} endpoint={endpoint} isMain={made !== undefined} />
          </>
        ),
      }}
    </AddPage>,
    draft.refused ? 422 : 200,
  )

const NewKey = ({
  visit,
  endpoint: { name },
  group,
  draft,
}: {
  readonly visit: Visit
  readonly endpoint: ShownEndpoint
  readonly group: string | undefined
  readonly draft: Draft
}) => (
  <Form visit={visit} action={`${pathOf(name, 'connect')}/key`} class="stack">
    <p>
      An app sends a key, or its person signs in.{' '}
      {group ? (
        <>
          The key sees what the group <code>{group}</code> sees.
        </>
      ) : (
        'The key sees all of the endpoint.'
      )}
    </p>
    {group && <input type="hidden" name="group" value={group} />}
    <Field
      draft={draft}
      name="label"
      label="Label of the key"
      required
      maxlength={80}
      hint="What you call it, such as: Ada, laptop."
    />
    <Field
      draft={draft}
      name="person"
      label="Person"
      maxlength={200}
      hint="For whom it is, such as ada@example.com: databases, records and groups see this name. Without it, they see the key."
    />
    <div class="row">
      <button class="button main" type="submit">
        Make a key
      </button>
    </div>
  </Form>
)

const MadeKey = ({
  visit,
  endpoint: { name },
  made: { key, label, secretUrls = {} },
}: {
  readonly visit: Visit
  readonly endpoint: ShownEndpoint
  readonly made: Made
}) => (
  <>
    <div class="stack">
      <h3 dir="auto">Key for {label}, shown once</h3>
      <Copy id="key" what="the key">
        {key}
      </Copy>
    </div>
    <HostTabs
      snippets={snippetsFor({
        url: `${visit.origin}/mcp/${name}`,
        name,
        access: 'key',
        key,
        secretUrl: secretUrls[name],
      })}
    />
  </>
)

const Open = ({
  visit,
  endpoint: { name, active },
  isMain,
}: {
  readonly visit: Visit
  readonly endpoint: ShownEndpoint
  readonly isMain: boolean
}) =>
  active ? (
    <p>
      The endpoint is open. <a href={`/console/endpoints/${name}`}>Look at it</a>
    </p>
  ) : (
    <Form visit={visit} action={`${pathOf(name, 'connect')}/open`} class="row">
      <button class={isMain ? 'button main' : 'button'} type="submit">
        Open the endpoint
      </button>
      <span class="small dim">
        It answers from then on.{isMain && ' Copy the key first: the next page does not show it.'}
      </span>
    </Form>
  )
