import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Draft, fresh, refusedBy } from '../parts/draft.ts'
import { endpointOf, NotThere, type ShownEndpoint } from '../parts/endpoint.ts'
import { Area, Problem } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Page } from '../parts/page.tsx'
import { pathWith } from '../parts/pages.tsx'
import { BUILT_IN } from '../parts/tools.ts'
import { ask, type Visit } from '../visit.ts'
import { markOf } from './section.ts'

interface OwnTool {
  readonly name: string
  readonly description: string
}

/** Tools of a page. An endpoint has a hundred at most. */
const MAX_DESCRIPTION = 160

const EXAMPLE = {
  name: 'orders_of_a_day',
  description: 'Orders that were placed on one day, the newest first.',
  sql: 'select * from orders where ordered_at::date = $1 order by ordered_at desc',
  params: [{ name: 'day', type: 'date', description: 'The day, in UTC' }],
}

/** `/console/endpoints/NAME/settings/tools`: tools of the operator's own, as JSON. */
export const ownTools = new Hono<{ Bindings: Visit }>()
  .get('/new', async (c) =>
    toolPage(c.env, await endpointOf(c.env, c.req.param('name')), '', fresh),
  )
  .post('/new', (c) => save(c.env, c.req.param('name') ?? '', ''))
  .get('/:tool', async (c) => {
    const endpoint = await endpointOf(c.env, c.req.param('name'))
    return toolPage(c.env, endpoint, c.req.param('tool'), fresh)
  })
  .post('/:tool', (c) => save(c.env, c.req.param('name') ?? '', c.req.param('tool')))

const pathOf = ({ name }: ShownEndpoint) => `/console/endpoints/${name}/settings`

const ownOf = ({ tools = [] }: ShownEndpoint): readonly OwnTool[] =>
  tools.filter((it: unknown) => typeof it !== 'string')

/** Writes a tool, or takes it away. The others stay as they are. */
async function save(visit: Visit, endpointName: string, name: string): Promise<Response> {
  const { fields } = visit
  const endpoint = await endpointOf(visit, endpointName)
  const fail = (message: string, status = 422) =>
    toolPage(visit, endpoint, name, new Draft(fields, { field: 'tool', message }), status)
  if (fields.get('was') !== (await markOf(endpoint, ['tools']))) return fail(CHANGED, 409)
  const all: readonly (string | OwnTool)[] = endpoint.tools ?? BUILT_IN
  const at = all.findIndex((it) => typeof it !== 'string' && it.name === name)
  if (name && at < 0) throw new NotThere(`${endpoint.title} has no tool ${name} of your own.`)
  let tools: readonly unknown[]
  if (fields.get('act') === 'remove') {
    tools = all.filter((_, i) => i !== at)
  } else {
    const text = fields.get('tool') ?? ''
    let tool: unknown
    try {
      tool = JSON.parse(text)
    } catch (error) {
      return fail(`This is not JSON. ${whereOf(error, text)}`)
    }
    tools = name ? all.with(at, tool as OwnTool) : [...all, tool]
  }
  const isWhole = tools.length === BUILT_IN.length && BUILT_IN.every((it) => tools.includes(it))
  const path = pathWith(`/endpoints/${endpoint.name}`, { unchangedSince: endpoint.changedAt })
  const refused = refusedBy(await ask(visit, 'PATCH', path, { tools: isWhole ? null : tools }))
  if (refused) return fail(refused.message)
  const done = fields.get('act') === 'remove' ? 'tool-removed' : 'tool'
  return seeOther(`${pathOf(endpoint)}?done=${done}#own-tools`)
}

const CHANGED =
  'Somebody else changed the tools meanwhile. Your text still stands below: save again to write it beside theirs.'

/** Where the fault in a JSON text is, in words. */
function whereOf(error: unknown, text: string): string {
  const at = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
  const line = at === undefined ? 0 : text.slice(0, Number(at)).split('\n').length
  return line > 0 ? `Look at line ${line}.` : 'Look at its end.'
}

/** The tools of an endpoint that are its operator's own. */
export const OwnTools = ({ endpoint }: { readonly endpoint: ShownEndpoint }) => {
  const own = ownOf(endpoint)
  const isOurs = endpoint.from === 'registry'
  return (
    <section class="stack" id="own-tools">
      <div class="row">
        <h2>Tools of your own</h2>
        {isOurs && (
          <a class="button push" href={`${pathOf(endpoint)}/tools/new`}>
            Add a tool
          </a>
        )}
      </div>
      {own.length === 0 ? (
        <p class="dim">There are none. Such a tool is a statement with parameters.</p>
      ) : (
        <ul class="panel stack">
          {own.map(({ name, description }) => (
            <li>
              {isOurs ? (
                <a class="mono" href={`${pathOf(endpoint)}/tools/${name}`}>
                  {name}
                </a>
              ) : (
                <code>{name}</code>
              )}
              <p class="small dim" dir="auto">
                {description.length > MAX_DESCRIPTION
                  ? `${description.slice(0, MAX_DESCRIPTION)}…`
                  : description}
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

async function toolPage(
  visit: Visit,
  endpoint: ShownEndpoint,
  name: string,
  draft: Draft,
  status = draft.refused ? 422 : 200,
): Promise<Response> {
  const tool = ownOf(endpoint).find((it) => it.name === name)
  if (name && !tool) throw new NotThere(`${endpoint.title} has no tool ${name} of your own.`)
  const path = `${pathOf(endpoint)}/tools/${name || 'new'}`
  const title = name ? `The tool ${name}` : 'Add a tool'
  return answer(
    <Page visit={visit} title={title} section="endpoints" slim>
      <div class="stack">
        <nav class="crumbs" aria-label="You are here">
          <a href="/console">Endpoints</a> / <a href={pathOf(endpoint)}>{endpoint.name}</a> / tools
        </nav>
        <h1>{title}</h1>
        <Problem draft={draft} />
        <Form visit={visit} action={path} class="stack">
          <input type="hidden" name="was" value={await markOf(endpoint, ['tools'])} />
          <Area
            draft={draft}
            name="tool"
            label="The tool, as JSON"
            stored={JSON.stringify(tool ?? EXAMPLE, null, 2)}
            hint="Its statement has its parameters as $1, $2, … in their order. With several databases, add &quot;database&quot;."
            mono
            rows={14}
            required
          />
          <div class="row">
            <button class="button main" type="submit" name="act" value="save">
              Save
            </button>
            {name && (
              <button class="button" type="submit" name="act" value="remove">
                Remove the tool
              </button>
            )}
            <a href={pathOf(endpoint)}>Back</a>
          </div>
        </Form>
      </div>
    </Page>,
    status,
  )
}
