import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { FormDraft, fresh } from '../parts/draft.ts'
import { BUILT_IN, endpointOf, type ShownEndpoint } from '../parts/endpoint.ts'
import { Area } from '../parts/field.tsx'
import { ButtonLink, Form, Submit } from '../parts/form.tsx'
import { pathWith } from '../parts/pages.tsx'
import { cut } from '../parts/texts.ts'
import { ask, type ConsoleVisit, NotFound } from '../visit.ts'
import { markOf } from './section.ts'
import { pathOf, SettingsPage } from './settings-page.tsx'

type OwnTool = Exclude<NonNullable<ShownEndpoint['tools']>[number], string>

/** Maximum length of a description in the list. */
const MAX_DESCRIPTION = 160

const EXAMPLE = {
  name: 'orders_of_a_day',
  description: 'Orders placed on one day, newest first.',
  sql: 'select * from orders where ordered_at::date = $1 order by ordered_at desc',
  params: [{ name: 'day', type: 'date', description: 'The day, in UTC' }],
}

/** `/console/endpoints/NAME/settings/tools`: the operator's custom tools, as JSON. */
export const ownTools = new Hono<{ Bindings: ConsoleVisit }>()
  .get('/new', async (c) =>
    toolPage(c.env, await endpointOf(c.env, c.req.param('name')), '', fresh),
  )
  .post('/new', (c) => save(c.env, c.req.param('name') ?? '', ''))
  .get('/:tool', async (c) => {
    const endpoint = await endpointOf(c.env, c.req.param('name'))
    return toolPage(c.env, endpoint, c.req.param('tool'), fresh)
  })
  .post('/:tool', (c) => save(c.env, c.req.param('name') ?? '', c.req.param('tool')))

const ownOf = ({ tools = [] }: ShownEndpoint): readonly OwnTool[] =>
  tools.filter((it) => typeof it !== 'string')

/** Saves or removes a tool. The others stay as they are. */
async function save(visit: ConsoleVisit, endpointName: string, name: string): Promise<Response> {
  const { fields } = visit
  const endpoint = await endpointOf(visit, endpointName)
  const fail = (message: string, status = 422) =>
    toolPage(visit, endpoint, name, new FormDraft(fields, { field: 'tool', message }), status)
  if (fields.get('was') !== (await markOf(endpoint, ['tools']))) return fail(CHANGED, 409)
  const all: readonly (string | OwnTool)[] = endpoint.tools ?? BUILT_IN
  const at = all.findIndex((it) => typeof it !== 'string' && it.name === name)
  if (name && at < 0) throw new NotFound(`${endpoint.title} has no custom tool named ${name}.`)
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
  const { refused } = await ask(visit, 'PATCH', path, { tools: isWhole ? null : tools })
  if (refused) return fail(refused.message)
  const done = fields.get('act') === 'remove' ? 'tool-removed' : 'tool'
  return seeOther(`${pathOf(endpoint)}?done=${done}#own-tools`)
}

const CHANGED =
  'Someone else changed the tools in the meantime. Your text is still below: save again to add it to theirs.'

/** Describes the position of an error in JSON. */
function whereOf(error: unknown, text: string): string {
  const at = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
  const line = at === undefined ? 0 : text.slice(0, Number(at)).split('\n').length
  return line > 0 ? `Check line ${line}.` : 'Check the end.'
}

/** An endpoint's custom tools. */
export const OwnTools = ({ endpoint }: { readonly endpoint: ShownEndpoint }) => {
  const own = ownOf(endpoint)
  const isOurs = endpoint.from === 'registry'
  return (
    <section class="stack" id="own-tools">
      <div class="row">
        <h2>Custom tools</h2>
        {isOurs && (
          <ButtonLink kind="push" href={`${pathOf(endpoint)}/tools/new`} text="Add a tool" />
        )}
      </div>
      {own.length === 0 ? (
        <p class="dim">There are none. A custom tool is an SQL statement with parameters.</p>
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
                {cut(description, MAX_DESCRIPTION)}
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

async function toolPage(
  visit: ConsoleVisit,
  endpoint: ShownEndpoint,
  name: string,
  draft: FormDraft,
  status = draft.refused ? 422 : 200,
): Promise<Response> {
  const tool = ownOf(endpoint).find((it) => it.name === name)
  if (name && !tool) throw new NotFound(`${endpoint.title} has no custom tool named ${name}.`)
  return answer(
    <SettingsPage
      {...{ visit, endpoint, draft }}
      at="tools"
      title={name ? `Tool ${name}` : 'Add a tool'}
    >
      <Form visit={visit} action={`${pathOf(endpoint)}/tools/${name || 'new'}`} class="stack">
        <input type="hidden" name="was" value={await markOf(endpoint, ['tools'])} />
        <Area
          draft={draft}
          name="tool"
          label="The tool, as JSON"
          stored={JSON.stringify(tool ?? EXAMPLE, null, 2)}
          hint="The statement refers to its parameters in order, as $1, $2, … If there are several databases, add &quot;database&quot;."
          mono
          rows={14}
          required
        />
        <div class="row">
          <Submit kind="main" name="act" value="save" text="Save" />
          {name && <Submit name="act" value="remove" text="Remove the tool" />}
          <a href={pathOf(endpoint)}>Back</a>
        </div>
      </Form>
    </SettingsPage>,
    status,
  )
}
