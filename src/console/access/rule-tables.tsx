import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Done } from '../parts/done.tsx'
import { FormDraft, fresh } from '../parts/draft.ts'
import { Area, Problem } from '../parts/field.tsx'
import { Form, Submit } from '../parts/form.tsx'
import { editorOf } from '../rules/editor.tsx'
import { GROUPS, groupEndpoint, titleOf } from '../rules/group.ts'
import { hrefOf, type RuleScope, type RuleView, rulesOf, viewIn } from '../rules/scope.ts'
import { onward, saveTicks } from '../rules/ticks.ts'
import { type ConsoleVisit, NotFound } from '../visit.ts'
import { AccessPage, GroupCrumbs } from './area.tsx'

const MESSAGES = { saved: 'Access saved. Takes effect everywhere within 10 seconds.' }

/** `…/tables/DATABASE`: tables and columns in a database that a group sees. */
export const ruleTables = new Hono<{ Bindings: ConsoleVisit }>()
  .get('/:database', async (c) =>
    tablesPage(await scopeOf(c.env, c.req.param()), viewIn(c.req.query()), fresh),
  )
  .post('/:database', async (c) => {
    const scope = await scopeOf(c.env, c.req.param())
    const view = viewIn(c.req.query())
    const refused = await saveTicks(scope, view)
    if (refused) return tablesPage(scope, view, new FormDraft(c.env.fields, refused))
    return seeOther(onward(scope, view))
  })

/** Group and database in a path. Throws {@link NotFound}. */
async function scopeOf(
  visit: ConsoleVisit,
  { name, endpoint: endpointName, database = '' }: Readonly<Record<string, string>>,
): Promise<RuleScope> {
  const { group, endpoint } = await groupEndpoint(visit, name, endpointName)
  if (!Object.hasOwn(endpoint.databases, database)) {
    throw new NotFound(`The endpoint ${endpoint.name} has no database ${database}.`)
  }
  const path = `${GROUPS}/${group.name}/endpoints/${endpoint.name}/tables/${database}`
  return { visit, group, endpoint, database, path }
}

async function tablesPage(scope: RuleScope, view: RuleView, draft: FormDraft): Promise<Response> {
  const { visit, group, endpoint, database } = scope
  const { table } = view
  const rules = rulesOf(scope)
  const schemas = rules !== 'missing' && (rules.tables || rules.schemas) && (rules.schemas ?? [])
  const { shown } = await editorOf(scope, view)
  return answer(
    <AccessPage
      visit={visit}
      part="groups"
      title={`${titleOf(group)}: ${table === undefined ? 'tables' : 'columns'} in ${table ?? database}`}
      crumbs={
        <GroupCrumbs group={group}>
          <a href={`${GROUPS}/${group.name}/endpoints/${endpoint.name}`}>{endpoint.name}</a> /{' '}
          {table === undefined ? database : <a href={hrefOf(scope, { offset: 0 })}>{database}</a>}
        </GroupCrumbs>
      }
      slim
    >
      <Done flag={view.done} messages={MESSAGES} />
      <Problem draft={draft} />
      <div class="stack">{shown}</div>
      {schemas && table === undefined && (
        <>
          <p class="small dim">
            SQL is off where the database can’t report which tables a statement reads. Test the
            group’s rules to see if it is.
          </p>
          <Form visit={visit} action={scope.path} class="panel stack">
            <Area
              draft={draft}
              name="schemas"
              label="Schemas to show completely, one per line"
              stored={schemas.join('\n')}
              mono
            />
            <div class="row">
              <Submit name="do" value="schemas" text="Save schemas" />
            </div>
          </Form>
        </>
      )}
    </AccessPage>,
    draft.refused ? 422 : 200,
  )
}
