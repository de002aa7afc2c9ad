import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { FormDraft, fresh } from '../parts/draft.ts'
import { storedEndpoint } from '../parts/endpoint.ts'
import type { ShownFix } from '../parts/fix.tsx'
import { type ApiRecognised, recognise } from '../parts/recognise.ts'
import { textIn } from '../parts/texts.ts'
import { type ApiRefusal, ask, type ConsoleVisit } from '../visit.ts'
import { connect } from './connect.tsx'
import { noteCookie } from './read-note.ts'
import { AddPage, pathOf } from './steps.tsx'
import { storeEndpoint } from './store.ts'
import { StringForm } from './string-form.tsx'
import { testPage } from './test-page.tsx'
import { who } from './who.tsx'

/** `/console/add`: the steps for adding an endpoint. A stored endpoint continues under its name. */
export const add = new Hono<{ Bindings: ConsoleVisit }>()
  .route('/:name/who', who)
  .route('/:name/connect', connect)
  .get('/', ({ env }) => firstStep(env, fresh))
  .post('/', async ({ env }) => {
    const { fields } = env
    const read = await recognise(env, fields.get('text') ?? '')
    if ('refused' in read) return firstStep(env, new FormDraft(fields, read.refused), read.fix)
    return store(env, read.found)
  })
  .post('/reference', ({ env }) => {
    const way = env.fields.get('way') ?? ''
    const name = textIn(env.fields, 'reference')
    if (!['d1', 'hyperdrive', 'secret'].includes(way)) return firstStep(env, fresh)
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      const message = 'Enter the name exactly as the Worker has it, such as DB.'
      return firstStep(env, new FormDraft(env.fields, { field: 'reference', message }))
    }
    const suggested = { name: nameFrom(name), title: name }
    return store(env, { url: `${way}:${name}`, suggested }, 'reference')
  })
  .get('/:name', async ({ env, req }) =>
    testPage(env, await storedEndpoint(env, req.param('name')), { cookies: req.header('cookie') }),
  )
  .post('/:name/string', async ({ env, req }) => {
    const endpoint = await storedEndpoint(env, req.param('name'))
    const { name, databases } = endpoint
    const read = await recognise(env, env.fields.get('text') ?? '')
    const [database = 'main'] = Object.keys(databases)
    const path = `/endpoints/${name}/databases/${database}/credential`
    const again = ({ message }: ApiRefusal) =>
      testPage(env, endpoint, { draft: new FormDraft(env.fields, { message, field: 'text' }) })
    if ('refused' in read) return again(read.refused)
    const { refused } = await ask(env, 'PUT', path, { url: read.found.url })
    return refused ? again(refused) : toTest(env, name, read.found)
  })
  .post('/:name/remove', async ({ env, req }) => {
    const { name, active } = await storedEndpoint(env, req.param('name'))
    // An active endpoint has callers. Its settings can delete it.
    if (active) return seeOther(`/console/endpoints/${name}/settings`)
    await ask(env, 'DELETE', `/endpoints/${name}`)
    return seeOther('/console?done=gone')
  })

const firstStep = (visit: ConsoleVisit, draft: FormDraft, fix?: ShownFix): Response =>
  answer(
    <AddPage visit={visit} now="string">
      {{ string: <StringForm visit={visit} draft={draft} fix={fix} /> }}
    </AddPage>,
    draft.refused ? 422 : 200,
  )

/** A parsed connection string, or the name of a binding. */
type NewString = ApiRecognised | Pick<ApiRecognised, 'url' | 'suggested'>

async function store(
  visit: ConsoleVisit,
  found: NewString,
  field: ApiRefusal['field'] = 'text',
): Promise<Response> {
  const { fields } = visit
  const typed = { name: textIn(fields, 'name'), title: textIn(fields, 'title') }
  const stored = await storeEndpoint(visit, { ...found, typed })
  if ('name' in stored) return toTest(visit, stored.name, found)
  const { refused } = stored
  const own = refused.field === 'text' ? { ...refused, field } : refused
  return firstStep(visit, new FormDraft(visit.fields, own))
}

/** Redirects to the test, which shows the parsed string. */
function toTest(visit: ConsoleVisit, name: string, found: NewString): Response {
  const answer = seeOther(pathOf(name, 'test'))
  if (!('engine' in found)) return answer
  const { url: _, suggested: __, ...note } = found
  const cookie = noteCookie({ name, origin: visit.origin }, note)
  if (cookie) answer.headers.append('set-cookie', cookie)
  return answer
}

/** Endpoint name made from a binding's name. */
const nameFrom = (binding: string): string =>
  binding.toLowerCase().replaceAll('_', '-').replace(/^-+/, '').slice(0, 31)
