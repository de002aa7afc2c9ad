import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Done } from '../parts/done.tsx'
import { Draft, fresh, refusedBy } from '../parts/draft.ts'
import { endpointOf, NotThere, type ShownEndpoint } from '../parts/endpoint.ts'
import { Area, Field, Problem, Tick, Ticks } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { pathWith } from '../parts/pages.tsx'
import { recognised } from '../parts/recognise.ts'
import { toolsOf } from '../parts/tools.ts'
import { ask, type Visit } from '../visit.ts'
import { AccessPage } from './area.tsx'
import { GROUPS, groupOf, type Rules, type ShownGroup, titleOf } from './group.ts'
import { ruleTables } from './rule-tables.tsx'

const SAID = { saved: 'The rules are saved. They hold everywhere within 10 seconds.' }

/** `/console/access/groups/GROUP/endpoints/ENDPOINT`: what a group may see of an endpoint. */
export const rules = new Hono<{ Bindings: Visit }>()
  .get('/', (c) =>
    rulesPage(c.env, c.req.param('name') ?? '', c.req.param('endpoint') ?? '', c.req.query('done')),
  )
  .post('/', async (c) => {
    const visit = c.env
    const { fields } = visit
    const { group, endpoint } = await ruled(visit, c.req.param('name'), c.req.param('endpoint'))
    const show = (draft: Draft) => rulesPage(visit, group.name, endpoint.name, undefined, draft)
    const urls = new Map<string, string>()
    for (const name of Object.keys(endpoint.databases)) {
      const text = fields.get(fieldOf(endpoint.name, name, 'url'))?.trim()
      if (!text) continue
      const found = await recognised(visit, text)
      if ('message' in found) {
        const field = fieldOf(endpoint.name, name, 'url')
        return show(new Draft(fields, { field, message: found.message }))
      }
      urls.set(name, found.url)
    }
    const patch = { endpoints: { [endpoint.name]: rulesIn(fields, group, endpoint, urls) } }
    const path = pathWith(`/groups/${group.name}`, { unchangedSince: fields.get('was') ?? '' })
    const refused = refusedBy(await ask(visit, 'PATCH', path, patch))
    if (refused) return show(new Draft(fields, refused))
    return seeOther(`${GROUPS}/${group.name}/endpoints/${endpoint.name}?done=saved`)
  })
  .route('/tables', ruleTables)

/** A group and an endpoint of its. Throws {@link NotThere}. */
export async function ruled(
  visit: Visit,
  groupName = '',
  endpointName = '',
): Promise<{ group: ShownGroup; endpoint: ShownEndpoint; rules: Rules }> {
  const group = await groupOf(visit, groupName)
  const rules = Object.hasOwn(group.endpoints, endpointName)
    ? group.endpoints[endpointName]
    : undefined
  if (!rules) {
    throw new NotThere(`The group ${group.name} does not have the endpoint ${endpointName}.`)
  }
  return { group, endpoint: await endpointOf(visit, endpointName), rules }
}

/** An input is named by the path of its field in the API. */
const fieldOf = (endpoint: string, database: string, field: string): string =>
  `endpoints.${endpoint}.databases.${database}.${field}`

/** The rules that a form asks for, as a merge patch. */
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
    const role = fields.get(fieldOf(name, database, 'role'))?.trim() || null
    const isForgotten = fields.has(fieldOf(name, database, 'forget'))
    const url = urls.get(database)
    const own: { role: string | null; url?: string | null } = {
      role,
      ...(url ? { url } : isForgotten && { url: null }),
    }
    return [database, own] as const
  })
  // A list names all that there is: without one, databases that come later are seen, too.
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
  visit: Visit,
  groupName: string,
  endpointName: string,
  done?: string,
  draft: Draft = fresh,
): Promise<Response> {
  const { group, endpoint, rules } = await ruled(visit, groupName, endpointName)
  const { tools, databases } = rules
  const path = `${GROUPS}/${group.name}/endpoints/${endpoint.name}`
  const all = Object.keys(endpoint.databases)
  const isWhole = !databases || all.every((it) => Object.hasOwn(databases, it))
  return answer(
    <AccessPage
      visit={visit}
      part="groups"
      title={`${titleOf(group)}: ${endpoint.title}`}
      about="What is not ticked does not exist for this group: it is in no list, hint, error or search."
      crumbs={
        <>
          <a href={GROUPS}>Groups</a> / <a href={`${GROUPS}/${group.name}`}>{group.name}</a> /{' '}
          {endpoint.name}
        </>
      }
      slim
    >
      <Done flag={done} said={SAID} />
      <Problem draft={draft} />
      <Form visit={visit} action={path} class="stack far">
        <input type="hidden" name="was" value={group.changedAt} />
        <Ticks
          draft={draft}
          name="tools"
          legend="Tools"
          hint="query and explain_query are free SQL. query_table reads without it."
        >
          <Tick draft={draft} name="tools" value="all" type="radio" stored={!tools}>
            Every tool, also those that come later
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
            Those that are ticked
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
          <button class="button main" type="submit">
            Save
          </button>
          <a href={`${GROUPS}/${group.name}`}>Back</a>
        </div>
      </Form>
    </AccessPage>,
    draft.refused ? 422 : 200,
  )
}

const DatabaseShown = ({
  draft,
  group,
  endpoint,
  name,
  isSeen,
}: {
  readonly draft: Draft
  readonly group: ShownGroup
  readonly endpoint: string
  readonly name: string
  readonly isSeen: boolean
}) => {
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
          ? `It sees ${Object.keys(tables ?? {}).length} tables by name${schemas?.length ? `, and the schemas ${schemas.slice(0, 5).join(', ')}` : ''}.`
          : 'It sees every table.'}{' '}
        <a href={`${GROUPS}/${group.name}/endpoints/${endpoint}/tables/${name}`}>
          Tables and columns of {name}
        </a>
      </p>
      <Field
        draft={draft}
        name={fieldOf(endpoint, name, 'role')}
        label={`Role of its own in ${name}`}
        stored={role}
        maxlength={256}
        mono
        hint="A role that the login of the endpoint may become. The database then keeps the rules."
      />
      <Area
        draft={draft}
        name={fieldOf(endpoint, name, 'url')}
        label={`Connection string of its own for ${name}`}
        secret
        mono
        hint={
          own ? (
            <>
              It has one: {own.scheme} at {own.host}, since <Moment at={own.setAt} />. A new one
              takes its place. It is not shown again.
            </>
          ) : url ? (
            <>
              It has <code>{url}</code>. A new one takes its place.
            </>
          ) : (
            'Of a user who may read what this group may read: the best way to limit it. It is sealed, and not shown again.'
          )
        }
      />
      {url && (
        <Tick draft={draft} name={fieldOf(endpoint, name, 'forget')} stored={false}>
          Use the connection string of the endpoint instead
        </Tick>
      )}
    </fieldset>
  )
}
