import type { FC } from 'hono/jsx'
import { Hono } from 'hono/tiny'
import { counted } from '../../ground/index.ts'
import { answer, seeOther } from '../answer.ts'
import { Done } from '../parts/done.tsx'
import { FormDraft, fresh } from '../parts/draft.ts'
import { type ShownEndpoint, storedEndpoint } from '../parts/endpoint.ts'
import { Choice, Field, Problem } from '../parts/field.tsx'
import { ButtonLink, Form, Submit } from '../parts/form.tsx'
import { pathWith } from '../parts/pages.tsx'
import { textIn } from '../parts/texts.ts'
import { SaveAnd } from '../rules/checkboxes.tsx'
import { editorOf } from '../rules/editor.tsx'
import { groupOf, type ShownGroup, titleOf } from '../rules/group.ts'
import { type RuleScope, type RuleView, rulesOf, viewIn } from '../rules/scope.ts'
import { onward, saveTicks } from '../rules/ticks.ts'
import { type Answers, ask, type ConsoleVisit, NotFound } from '../visit.ts'
import { PreviewShown, previewOf } from './preview.tsx'
import { AddPage, pathOf } from './steps.tsx'

/** `/console/add/NAME/who`: limits what groups see, with a preview of the model's view. */
export const who = new Hono<{ Bindings: ConsoleVisit }>()
  .get('/', async ({ env, req }) => {
    const endpoint = await storedEndpoint(env, req.param('name'))
    const scope = await scopeOf(env, endpoint, req.query())
    return whoPage(env, endpoint, { scope, view: viewIn(req.query()) })
  })
  .post('/', async ({ env, req }) => {
    const endpoint = await storedEndpoint(env, req.param('name'))
    const scope = await scopeOf(env, endpoint, req.query())
    if (!scope) throw new NotFound('No group is selected.')
    const view = viewIn(req.query())
    const refused = await saveTicks(scope, view)
    if (refused)
      return whoPage(env, endpoint, { scope, view, draft: new FormDraft(undefined, refused) })
    if (env.fields.get('to') !== 'connect') return seeOther(onward(scope, view))
    return seeOther(pathWith(pathOf(endpoint.name, 'connect'), { group: scope.group.name }))
  })
  .post('/group', async ({ env, req }) => {
    const endpoint = await storedEndpoint(env, req.param('name'))
    const name = textIn(env.fields, 'name')
    const [database = 'main'] = Object.keys(endpoint.databases)
    const endpoints = { [endpoint.name]: { databases: { [database]: { tables: {} } } } }
    const { refused } = await ask(env, 'POST', '/groups', { name, endpoints })
    if (refused) {
      const draft = new FormDraft(env.fields, { ...refused, field: 'name' })
      return whoPage(env, endpoint, { draft })
    }
    return seeOther(pathWith(pathOf(endpoint.name, 'who'), { group: name, done: 'made' }))
  })

/** Selected group and database; undefined if no group is selected. */
async function scopeOf(
  visit: ConsoleVisit,
  endpoint: ShownEndpoint,
  { group: name, database = '' }: Readonly<Record<string, string>>,
): Promise<RuleScope | undefined> {
  if (!name) return undefined
  const group = await groupOf(visit, name)
  const chosen = databaseIn(endpoint, database)
  const path = pathOf(endpoint.name, 'who')
  const query = { group: name, database: chosen }
  return { visit, group, endpoint, database: chosen, path, query }
}

/** The database with this name, or else the first. */
const databaseIn = ({ databases }: ShownEndpoint, name = ''): string =>
  Object.hasOwn(databases, name) ? name : (Object.keys(databases)[0] ?? 'main')

async function whoPage(
  visit: ConsoleVisit,
  endpoint: ShownEndpoint,
  {
    scope,
    view = { offset: 0 },
    draft = fresh,
  }: {
    readonly scope?: RuleScope | undefined
    readonly view?: RuleView
    readonly draft?: FormDraft
  },
): Promise<Response> {
  const groups = await ask<Answers['Groups']>(visit, 'GET', '/groups?limit=100')
  const isRefused = scope !== undefined && rulesOf(scope) === 'missing'
  const isOneOfSeveral = Object.keys(endpoint.databases).length > 1
  const preview = isRefused
    ? { problem: 'Nothing: the group has no access to this endpoint.' }
    : await previewOf(visit, endpoint.name, {
        group: scope?.group.name,
        database: isOneOfSeveral ? databaseIn(endpoint, scope?.database) : undefined,
      })
  const editor = scope
    ? await editorOf(scope, view)
    : {
        shown: <p>No group selected. Anyone with a key sees everything shown in the preview.</p>,
      }
  return answer(
    <AddPage
      visit={visit}
      now="who"
      endpoint={endpoint}
      wide
      above={
        <>
          <Done flag={view.done} messages={DONE} />
          <Problem draft={draft} />
        </>
      }
    >
      {{
        who: (
          <>
            <p>
              Anyone with a key sees the whole endpoint, unless a group limits them. A group sees
              only what you select here.
            </p>
            <div class="row">
              <ChooseGroup groups={groups.body?.groups ?? []} chosen={scope?.group.name} />
              <NewGroup visit={visit} name={endpoint.name} draft={draft} />
            </div>
            <div class="halves">
              <div class="stack">
                {scope && view.table === undefined && <Databases scope={scope} />}
                {view.table !== undefined && (
                  <h3 dir="auto">
                    Columns of <code>{view.table}</code>
                  </h3>
                )}
                {editor.shown}
              </div>
              <div class="stack">
                <PreviewShown {...preview} />
              </div>
            </div>
            <div class="row">
              {editor.hasTicks ? (
                <SaveAnd kind="main" name="to" value="connect" text="Save and continue" />
              ) : (
                <ButtonLink
                  kind="main"
                  href={pathWith(pathOf(endpoint.name, 'connect'), { group: scope?.group.name })}
                  text={scope ? 'Continue' : 'Continue without a group'}
                />
              )}
            </div>
          </>
        ),
      }}
    </AddPage>,
    draft.refused ? 422 : 200,
  )
}

const DONE = {
  saved: 'Saved.',
  made: 'Group created. It sees nothing at this endpoint until you select something.',
}

/** Links to the databases, if there are several. */
const Databases = ({ scope }: { readonly scope: RuleScope }) => {
  const { group, endpoint, database, path } = scope
  const names = Object.keys(endpoint.databases)
  if (names.length < 2) return null
  return (
    <p>
      Database:{' '}
      {names.map((it, i) => (
        <>
          {i > 0 && ', '}
          {it === database ? (
            <b>{it}</b>
          ) : (
            <a href={pathWith(path, { group: group.name, database: it })}>{it}</a>
          )}
        </>
      ))}
    </p>
  )
}

const ChooseGroup: FC<{
  readonly groups: readonly ShownGroup[]
  readonly chosen: string | undefined
}> = ({ groups, chosen }) =>
  groups.length > 0 ? (
    <form class="search">
      <Choice
        draft={fresh}
        name="group"
        label="Group"
        stored={chosen}
        options={[
          ['', 'None: anyone with a key'],
          ...groups.map((it) => [it.name, `${titleOf(it)}, ${peopleOf(it)}`] as const),
        ]}
      />
      <Submit text="Show" />
    </form>
  ) : null

const peopleOf = ({ people }: ShownGroup) => counted(people.length, 'person', 'people')

const NewGroup: FC<{
  readonly visit: ConsoleVisit
  readonly name: string
  readonly draft: FormDraft
}> = ({ visit, name, draft }) => (
  <details open={draft.problemOf('name') !== undefined}>
    <summary>Create a group</summary>
    <Form visit={visit} action={`${pathOf(name, 'who')}/group`} class="stack">
      <Field
        draft={draft}
        name="name"
        label="Name for the group"
        mono
        required
        maxlength={31}
        placeholder="analysts"
      />
      <div class="row">
        <Submit text="Create" />
        <span class="small dim">
          Add people and keys to it under <a href="/console/access/groups">Access</a>.
        </span>
      </div>
    </Form>
  </details>
)
