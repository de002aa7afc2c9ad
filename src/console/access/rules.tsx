import type { FC } from 'hono/jsx'
import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Done } from '../parts/done.tsx'
import { FormDraft, fresh } from '../parts/draft.ts'
import { type ShownEndpoint, toolsOf } from '../parts/endpoint.ts'
import { Area, Field, Problem, Tick, Ticks } from '../parts/field.tsx'
import { Form, Submit } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { pathWith } from '../parts/pages.tsx'
import { recognised } from '../parts/recognise.ts'
import { textIn } from '../parts/texts.ts'
import { GROUPS, groupEndpoint, type ShownGroup, titleOf } from '../rules/group.ts'
import { ask, type ConsoleVisit } from '../visit.ts'
import { AccessPage, GroupCrumbs } from './area.tsx'
import { ruleTables } from './rule-tables.tsx'

const MESSAGES = { saved: 'Rules saved. Takes effect everywhere within 10 seconds.' }

/** `/console/access/groups/GROUP/endpoints/ENDPOINT`: a group's rules for an endpoint. */
export const rules = new Hono<{ Bindings: ConsoleVisit }>()
  .get('/', (c) =>
    rulesPage(c.env, c.req.param('name') ?? '', c.req.param('endpoint') ?? '', c.req.query('done')),
  )
  .post('/', async (c) => {
    const visit = c.env
    const { fields } = visit
    const { group, endpoint } = await groupEndpoint(
      visit,
      c.req.param('name'),
      c.req.param('endpoint'),
    )
    const show = (draft: FormDraft) => rulesPage(visit, group.name, endpoint.name, undefined, draft)
    const urls = new Map<string, string>()
    for (const name of Object.keys(endpoint.databases)) {
      const text = textIn(fields, fieldOf(endpoint.name, name, 'url'))
      if (!text) continue
      const found = await recognised(visit, text)
      if ('message' in found) {
        const field = fieldOf(endpoint.name, name, 'url')
        return show(new FormDraft(fields, { field, message: found.message }))
      }
      urls.set(name, found.url)
    }
    const patch = { endpoints: { [endpoint.name]: rulesIn(fields, group, endpoint, urls) } }
    const path = pathWith(`/groups/${group.name}`, { unchangedSince: fields.get('was') ?? '' })
    const { refused } = await ask(visit, 'PATCH', path, patch)
    if (refused) return show(new FormDraft(fields, refused))
    return seeOther(`${GROUPS}/${group.name}/endpoints/${endpoint.name}?done=saved`)
  })
  .route('/tables', ruleTables)

/** Name of an input: the path of its field in the API. */
const fieldOf = (endpoint: string, database: string, field: string): string =>
  `endpoints.${endpoint}.databases.${database}.${field}`

/** Merge patch for the rules, from a form. */
function rulesIn(
  fields: URLSearchParams,
  group: ShownGroup,
  { name, databases }: ShownEndpoint,
  urls: ReadonlyMap<string, string>,
): object {
  const old = group.endpoints[name]?.databases ?? {}
  const isAll = fields.get('databases') === 'all'
  const each = Object.keys(databases).map((database) => {
    if (!isAll && !fields.getAll('database').includes(database)) return [database, null] as const
    const role = textIn(fields, fieldOf(name, database, 'role')) || null
    const isForgotten = fields.has(fieldOf(name, database, 'forget'))
    const url = urls.get(database)
    const own: { role: string | null; url?: string | null } = {
      role,
      ...(url ? { url } : isForgotten && { url: null }),
    }
    return [database, own] as const
  })
  // A list shows only the databases in it. Without a list, databases added later are visible too.
  const isWhole =
    isAll &&
    each.every(([database, own]) => {
      const { schemas, tables, url } = old[database] ?? {}
      return !own?.role && !own?.url && !schemas && !tables && (!url || own?.url === null)
    })
  // Databases that the endpoint no longer has.
  const gone = Object.keys(old).filter((it) => !Object.hasOwn(databases, it))
  return {
    tools: fields.get('tools') === 'all' ? null : fields.getAll('tool'),
    databases: isWhole
      ? null
      : Object.fromEntries([...each, ...gone.map((it) => [it, null] as const)]),
  }
}

async function rulesPage(
  visit: ConsoleVisit,
  groupName: string,
  endpointName: string,
  done?: string,
  draft: FormDraft = fresh,
): Promise<Response> {
  const { group, endpoint, rules } = await groupEndpoint(visit, groupName, endpointName)
  const { tools, databases } = rules
  const path = `${GROUPS}/${group.name}/endpoints/${endpoint.name}`
  const all = Object.keys(endpoint.databases)
  const isWhole = !databases || all.every((it) => Object.hasOwn(databases, it))
  return answer(
    <AccessPage
      visit={visit}
      part="groups"
      title={`${titleOf(group)}: ${endpoint.title}`}
      about="This group sees only what is selected. Lists, hints, errors and searches show nothing else."
      crumbs={<GroupCrumbs group={group}>{endpoint.name}</GroupCrumbs>}
      slim
    >
      <Done flag={done} messages={MESSAGES} />
      <Problem draft={draft} />
      <Form visit={visit} action={path} class="stack far">
        <input type="hidden" name="was" value={group.changedAt} />
        <Ticks
          draft={draft}
          name="tools"
          legend="Tools"
          hint="query and explain_query accept any SQL. query_table works without SQL."
        >
          <Tick draft={draft} name="tools" value="all" type="radio" stored={!tools}>
            Every tool, including ones added later
          </Tick>
          <Tick draft={draft} name="tools" value="some" type="radio" stored={Boolean(tools)}>
            These
          </Tick>
          <div class="within">
            {toolsOf(endpoint).map((it) => (
              <Tick draft={draft} name="tool" value={it} stored={tools ? tools.includes(it) : true}>
                <code>{it}</code>
              </Tick>
            ))}
          </div>
        </Ticks>
        <Ticks draft={draft} name={`endpoints.${endpoint.name}`} legend="Databases">
          <Tick draft={draft} name="databases" value="all" type="radio" stored={isWhole}>
            Every database
          </Tick>
          <Tick draft={draft} name="databases" value="some" type="radio" stored={!isWhole}>
            Selected databases
          </Tick>
        </Ticks>
        {all.map((name) => (
          <DatabaseShown
            draft={draft}
            group={group}
            endpoint={endpoint.name}
            name={name}
            isSeen={!databases || Object.hasOwn(databases, name)}
          />
        ))}
        <div class="row">
          <Submit kind="main" text="Save" />
          <a href={`${GROUPS}/${group.name}`}>Back</a>
        </div>
      </Form>
    </AccessPage>,
    draft.refused ? 422 : 200,
  )
}

const DatabaseShown: FC<{
  readonly draft: FormDraft
  readonly group: ShownGroup
  readonly endpoint: string
  readonly name: string
  readonly isSeen: boolean
}> = ({ draft, group, endpoint, name, isSeen }) => {
  const { role, url, schemas, tables } = group.endpoints[endpoint]?.databases?.[name] ?? {}
  const own = group.credentials?.find((it) => it.endpoint === endpoint && it.database === name)
  const limits = schemas || tables
  return (
    <fieldset class="panel stack">
      <legend class="hidden">{name}</legend>
      <Tick draft={draft} name="database" value={name} stored={isSeen}>
        <b class="mono">{name}</b>
      </Tick>
      <p>
        {limits
          ? `Sees ${Object.keys(tables ?? {}).length} tables by name${schemas?.length ? `, and the schemas ${schemas.slice(0, 5).join(', ')}` : ''}.`
          : 'Sees every table.'}{' '}
        <a href={`${GROUPS}/${group.name}/endpoints/${endpoint}/tables/${name}`}>
          Tables and columns of {name}
        </a>
      </p>
      <Field
        draft={draft}
        name={fieldOf(endpoint, name, 'role')}
        label={`Own role in ${name}`}
        stored={role}
        maxlength={256}
        mono
        hint="A database role that the endpoint’s login can switch to. The database then enforces its permissions."
      />
      <Area
        draft={draft}
        name={fieldOf(endpoint, name, 'url')}
        label={`Own connection string for ${name}`}
        secret
        mono
        hint={
          own ? (
            <>
              Current: {own.scheme} at {own.host}, set <Moment at={own.setAt} />. A new one replaces
              it. It is not shown again.
            </>
          ) : url ? (
            <>
              Current: <code>{url}</code>. A new one replaces it.
            </>
          ) : (
            'For a database user who can read only what this group should see: the safest limit. It is encrypted and not shown again.'
          )
        }
      />
      {url && (
        <Tick draft={draft} name={fieldOf(endpoint, name, 'forget')} stored={false}>
          Use the endpoint’s connection string instead
        </Tick>
      )}
    </fieldset>
  )
}
