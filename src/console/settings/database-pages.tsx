import type { FC } from 'hono/jsx'
import { answer } from '../answer.ts'
import { Confirm } from '../parts/confirm.tsx'
import { type FormDraft, fresh } from '../parts/draft.ts'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Area, Field, Tick } from '../parts/field.tsx'
import { Fix, type ShownFix } from '../parts/fix.tsx'
import { Form, Submit } from '../parts/form.tsx'
import { type ConsoleVisit, NotFound } from '../visit.ts'
import { Where } from './database-table.tsx'
import { pathOf, SettingsPage } from './settings-page.tsx'

/** A page for an endpoint's databases, and its submitted form. */
export interface DatabaseVisit {
  readonly visit: ConsoleVisit
  readonly endpoint: ShownEndpoint
  readonly draft?: FormDraft
  readonly fix?: ShownFix | undefined
}

/** Throws {@link NotFound} if the endpoint has no database with this name. */
export function assertThere({ databases, title }: ShownEndpoint, name: string): void {
  if (!Object.hasOwn(databases, name)) throw new NotFound(`${title} has no database ${name}.`)
}

const StringField: FC<{ readonly draft: FormDraft; readonly label: string }> = ({
  draft,
  label,
}) => (
  <Area
    draft={draft}
    name="url"
    label={label}
    secret
    mono
    required
    hint="The string from your provider or a line from an .env file; or secret:NAME, hyperdrive:BINDING or d1:BINDING. It is encrypted and not shown again."
  />
)

const Purpose: FC<{ readonly draft: FormDraft; readonly stored?: string | undefined }> = (
  props,
) => (
  <Field
    {...props}
    name="purpose"
    label="Purpose"
    maxlength={200}
    hint="Description for the model, such as: orders and customers of the web shop."
  />
)

/** Page that adds a database. */
export const newPage = ({ visit, endpoint, draft = fresh, fix }: DatabaseVisit): Response =>
  answer(
    <SettingsPage
      {...{ visit, endpoint, draft }}
      at="databases"
      title={`Add a database to ${endpoint.title}`}
    >
      {fix && <Fix id="fix" fix={fix} />}
      <Form visit={visit} action={`${pathOf(endpoint)}/databases/new`} class="stack">
        <Field
          draft={draft}
          name="database"
          label="Name"
          maxlength={31}
          required
          mono
          hint="Lowercase, such as shop. Tools use this name."
        />
        <StringField draft={draft} label="Connection string" />
        <Purpose draft={draft} />
        <div class="row">
          <Submit kind="main" text="Add the database" />
          <a href={pathOf(endpoint)}>Back</a>
        </div>
      </Form>
    </SettingsPage>,
    draft.refused ? 422 : 200,
  )

/** Page for one database. Throws {@link NotFound}. */
export function databasePage(
  { visit, endpoint, draft = fresh, fix }: DatabaseVisit,
  name: string,
): Response {
  assertThere(endpoint, name)
  const { purpose, role, claims, catalogSeconds } = endpoint.databases[name]!
  const path = `${pathOf(endpoint)}/databases/${name}`
  return answer(
    <SettingsPage
      {...{ visit, endpoint, draft }}
      at="databases"
      title={`${name} in ${endpoint.title}`}
      heading={name}
      about={
        <>
          <Where endpoint={endpoint} name={name} />.{' '}
          <a href={`/console/doctor?endpoint=${endpoint.name}`}>Test it</a>
        </>
      }
    >
      {fix && <Fix id="fix" fix={fix} />}
      <Form visit={visit} action={path} class="panel stack">
        <h2>Purpose and access</h2>
        <Purpose draft={draft} stored={purpose} />
        <Field
          draft={draft}
          name="role"
          label="Role"
          stored={role}
          maxlength={63}
          mono
          hint="Database role that statements run as. The login must be able to switch to it."
        />
        <Tick draft={draft} name="claims" stored={claims === true}>
          Pass the caller’s identity to the database, for row-level security
        </Tick>
        <Field
          draft={draft}
          name="catalogSeconds"
          label="Seconds to cache columns and keys of tables"
          hint="0 to 3,600. Empty means 60. With 0, they are read before each statement."
          type="number"
          stored={catalogSeconds}
        />
        <div class="row">
          <Submit text="Save" />
        </div>
      </Form>
      <Form visit={visit} action={`${path}/credential`} class="panel stack">
        <h2>Replace the connection string</h2>
        <StringField draft={draft} label="New connection string" />
        <div class="row">
          <Submit text="Replace" />
          <span class="small dim">The old one is deleted. It can’t be shown.</span>
        </div>
      </Form>
      {Object.keys(endpoint.databases).length > 1 && (
        <p>
          <a href={`${path}/remove`}>Remove this database</a>
        </p>
      )}
    </SettingsPage>,
    draft.refused ? 422 : 200,
  )
}

/** Page that confirms a removal. Throws {@link NotFound}. */
export function removePage(
  { visit, endpoint, draft = fresh }: DatabaseVisit,
  name: string,
): Response {
  assertThere(endpoint, name)
  return answer(
    <SettingsPage
      {...{ visit, endpoint, draft }}
      at="databases"
      title={`Remove ${name} from ${endpoint.title}`}
    >
      <Confirm
        visit={visit}
        action={`${pathOf(endpoint)}/databases/${name}/remove`}
        verb="Remove the database"
        back={pathOf(endpoint)}
      >
        <p>
          Apps lose access within 10 seconds, and the connection string is deleted. The database
          itself does not change.
        </p>
      </Confirm>
    </SettingsPage>,
    draft.refused ? 422 : 200,
  )
}
