import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Draft, fresh, refusedBy } from '../parts/draft.ts'
import { endpointOf, NotThere, type ShownEndpoint } from '../parts/endpoint.ts'
import { Area, Field, Problem, Tick } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Mend, type ShownMend } from '../parts/mend.tsx'
import { Page } from '../parts/page.tsx'
import { recognised } from '../parts/recognise.ts'
import { ask, type Visit } from '../visit.ts'
import { pathOf, Where } from './database-table.tsx'
import { numberIn } from './section.ts'

const NAME = /^[a-z][a-z0-9_-]{0,30}$/

/** `/console/endpoints/NAME/settings/databases`: one database, another one, none of them any more. */
export const databases = new Hono<{ Bindings: Visit }>()
  .get('/new', async (c) => {
    return newPage(c.env, await endpointOf(c.env, c.req.param('name')), fresh)
  })
  .post('/new', async (c) => {
    const visit = c.env
    const { fields } = visit
    const endpoint = await endpointOf(visit, c.req.param('name'))
    const fail = (field: string, message: string, mend?: ShownMend) =>
      newPage(visit, endpoint, new Draft(fields, { field, message }), mend)
    const name = fields.get('database')?.trim() ?? ''
    if (!NAME.test(name)) {
      return fail(
        'database',
        'The name must be lower case and at most 31 characters, such as shop.',
      )
    }
    if (Object.hasOwn(endpoint.databases, name)) {
      return fail('database', `There is a database ${name} already. Choose another name.`)
    }
    const found = await recognised(visit, fields.get('url')?.trim() ?? '')
    if ('message' in found) return fail('url', found.message)
    const purpose = fields.get('purpose')?.trim()
    const added = { url: found.url, ...(purpose && { purpose }) }
    const refused = refusedBy(await patch(visit, endpoint, { [name]: added }))
    if (refused) return fail(inputOf(refused.field, name), refused.message, found.mend)
    return seeOther(`${pathOf(endpoint)}?done=added`)
  })
  .get('/:database', async (c) => {
    const endpoint = await endpointOf(c.env, c.req.param('name'))
    return databasePage(c.env, endpoint, c.req.param('database'), fresh)
  })
  .post('/:database', async (c) => {
    const visit = c.env
    const { fields } = visit
    const endpoint = await endpointOf(visit, c.req.param('name'))
    const name = c.req.param('database')
    assertThere(endpoint, name)
    const changes = {
      purpose: fields.get('purpose')?.trim() || null,
      role: fields.get('role')?.trim() || null,
      claims: fields.has('claims') || null,
      catalogSeconds: numberIn(fields, 'catalogSeconds'),
    }
    const refused = refusedBy(await patch(visit, endpoint, { [name]: changes }))
    if (!refused) return seeOther(`${pathOf(endpoint)}?done=database`)
    const draft = new Draft(fields, { ...refused, field: inputOf(refused.field, name) })
    return databasePage(visit, endpoint, name, draft)
  })
  .post('/:database/credential', async (c) => {
    const visit = c.env
    const endpoint = await endpointOf(visit, c.req.param('name'))
    const name = c.req.param('database')
    assertThere(endpoint, name)
    const fail = (message: string, mend?: ShownMend) => {
      const draft = new Draft(undefined, { field: 'url', message })
      return databasePage(visit, endpoint, name, draft, mend)
    }
    const found = await recognised(visit, visit.fields.get('url')?.trim() ?? '')
    if ('message' in found) return fail(found.message)
    const path = `/endpoints/${endpoint.name}/databases/${name}/credential`
    const refused = refusedBy(await ask(visit, 'PUT', path, { url: found.url }))
    if (refused) return fail(refused.message, found.mend)
    return seeOther(`${pathOf(endpoint)}?done=database`)
  })
  .get('/:database/remove', async (c) => {
    const endpoint = await endpointOf(c.env, c.req.param('name'))
    return removePage(c.env, endpoint, c.req.param('database'), fresh)
  })
  .post('/:database/remove', async (c) => {
    const visit = c.env
    const endpoint = await endpointOf(visit, c.req.param('name'))
    const name = c.req.param('database')
    assertThere(endpoint, name)
    const refused = refusedBy(await patch(visit, endpoint, { [name]: null }))
    if (refused) return removePage(visit, endpoint, name, new Draft(visit.fields, refused))
    return seeOther(`${pathOf(endpoint)}?done=removed`)
  })

/** Changes some databases, and leaves the others as they are. */
const patch = (visit: Visit, { name }: ShownEndpoint, databases: object) =>
  ask(visit, 'PATCH', `/endpoints/${name}`, { databases })

/** The input for what the API calls `databases.shop.role`. */
const inputOf = (field = '', name: string): string => {
  const within = `databases.${name}.`
  return field.startsWith(within) ? field.slice(within.length) : 'url'
}

function assertThere({ databases, title }: ShownEndpoint, name: string): void {
  if (!Object.hasOwn(databases, name)) throw new NotThere(`${title} has no database ${name}.`)
}

const Crumbs = ({ endpoint }: { readonly endpoint: ShownEndpoint }) => (
  <nav class="crumbs" aria-label="You are here">
    <a href="/console">Endpoints</a> / <a href={pathOf(endpoint)}>{endpoint.name}</a> / databases
  </nav>
)

const StringField = ({ draft, label }: { readonly draft: Draft; readonly label: string }) => (
  <Area
    draft={draft}
    name="url"
    label={label}
    secret
    mono
    required
    hint="As your provider shows it, or a line of an environment file; or secret:NAME, hyperdrive:BINDING, d1:BINDING. It is sealed, and not shown again."
  />
)

const newPage = (visit: Visit, endpoint: ShownEndpoint, draft: Draft, mend?: ShownMend): Response =>
  answer(
    <Page visit={visit} title={`Add a database to ${endpoint.title}`} section="endpoints" slim>
      <div class="stack">
        <Crumbs endpoint={endpoint} />
        <h1>
          Add a database to <bdi>{endpoint.title}</bdi>
        </h1>
        <Problem draft={draft} />
        {mend && <Mend id="mend" mend={mend} />}
        <Form visit={visit} action={`${pathOf(endpoint)}/databases/new`} class="stack">
          <Field
            draft={draft}
            name="database"
            label="Name"
            maxlength={31}
            required
            mono
            hint="Lower case, such as shop. Tools call it so."
          />
          <StringField draft={draft} label="Connection string" />
          <Purpose draft={draft} stored="" />
          <div class="row">
            <button class="button main" type="submit">
              Add the database
            </button>
            <a href={pathOf(endpoint)}>Back</a>
          </div>
        </Form>
      </div>
    </Page>,
    draft.refused ? 422 : 200,
  )

const Purpose = ({ draft, stored }: { readonly draft: Draft; readonly stored: string }) => (
  <Field
    draft={draft}
    name="purpose"
    label="Purpose"
    stored={stored}
    maxlength={200}
    hint="What the model reads about it, such as: orders and customers of the web shop."
  />
)

function databasePage(
  visit: Visit,
  endpoint: ShownEndpoint,
  name: string,
  draft: Draft,
  mend?: ShownMend,
): Response {
  assertThere(endpoint, name)
  const { purpose, role, claims, catalogSeconds } = endpoint.databases[name]
  const path = `${pathOf(endpoint)}/databases/${name}`
  return answer(
    <Page visit={visit} title={`${name} of ${endpoint.title}`} section="endpoints" slim>
      <div class="stack far">
        <div class="stack">
          <Crumbs endpoint={endpoint} />
          <h1 class="mono">{name}</h1>
          <p>
            <Where endpoint={endpoint} name={name} />.{' '}
            <a href={`/console/doctor?endpoint=${endpoint.name}`}>Look whether it answers</a>
          </p>
        </div>
        <Problem draft={draft} />
        {mend && <Mend id="mend" mend={mend} />}
        <Form visit={visit} action={path} class="panel stack">
          <h2>What it is, and how statements run</h2>
          <Purpose draft={draft} stored={purpose} />
          <Field
            draft={draft}
            name="role"
            label="Role"
            stored={role}
            maxlength={63}
            mono
            hint="The database role that statements run as: one that the login may become."
          />
          <Tick draft={draft} name="claims" stored={claims === true}>
            Statements carry who asks, for row-level security
          </Tick>
          <Field
            draft={draft}
            name="catalogSeconds"
            label="Seconds for which the columns and keys of a table are remembered"
            hint="0 to 3,600. Empty means 60, and 0 asks the database for them before each statement."
            type="number"
            stored={catalogSeconds}
          />
          <div class="row">
            <button class="button" type="submit">
              Save
            </button>
          </div>
        </Form>
        <Form visit={visit} action={`${path}/credential`} class="panel stack">
          <h2>Replace the connection string</h2>
          <StringField draft={draft} label="New connection string" />
          <div class="row">
            <button class="button" type="submit">
              Replace it
            </button>
            <span class="small dim">The old one can’t be shown, and is deleted.</span>
          </div>
        </Form>
        {Object.keys(endpoint.databases).length > 1 && (
          <p>
            <a href={`${path}/remove`}>Remove this database</a>
          </p>
        )}
      </div>
    </Page>,
    draft.refused ? 422 : 200,
  )
}

function removePage(visit: Visit, endpoint: ShownEndpoint, name: string, draft: Draft): Response {
  assertThere(endpoint, name)
  return answer(
    <Page visit={visit} title={`Remove ${name}`} section="endpoints" slim>
      <div class="stack">
        <Crumbs endpoint={endpoint} />
        <h1>
          Remove {name} of <bdi>{endpoint.title}</bdi>
        </h1>
        <Problem draft={draft} />
        <Confirm
          visit={visit}
          action={`${pathOf(endpoint)}/databases/${name}/remove`}
          verb="Remove the database"
          back={pathOf(endpoint)}
        >
          <p>
            Apps read it no more, within 10 seconds, and its connection string is deleted. Nothing
            in the database itself changes.
          </p>
        </Confirm>
      </div>
    </Page>,
    draft.refused ? 422 : 200,
  )
}
