import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Draft, fresh, type Refused, refusedBy } from '../parts/draft.ts'
import type { ShownMend } from '../parts/mend.tsx'
import { type Recognised, recognise } from '../parts/recognise.ts'
import { ask, type Visit } from '../visit.ts'
import { connect } from './connect.tsx'
import { AddPage, pathOf } from './gauge.tsx'
import { noteCookie } from './read-note.ts'
import { storeEndpoint } from './store.ts'
import { storedOne } from './stored.ts'
import { StringForm } from './string-form.tsx'
import { testPage } from './test-page.tsx'
import { who } from './who.tsx'

/** `/console/add`: the steps by which an endpoint is added. One that is stored is gone on with at its name. */
export const add = new Hono<{ Bindings: Visit }>()
  .route('/:name/who', who)
  .route('/:name/connect', connect)
  .get('/', ({ env }) => firstStep(env, fresh))
  .post('/', async ({ env }) => {
    const { fields } = env
    const read = await recognise(env, fields.get('text') ?? '')
    if ('refused' in read) return firstStep(env, new Draft(fields, read.refused), read.mend)
    return store(env, read.found)
  })
  .post('/reference', ({ env }) => {
    const way = env.fields.get('way') ?? ''
    const name = env.fields.get('reference')?.trim() ?? ''
    if (!['d1', 'hyperdrive', 'secret'].includes(way)) return firstStep(env, fresh)
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      const refused = { field: 'reference', message: 'Write the name as the Worker has it: DB.' }
      return firstStep(env, new Draft(env.fields, refused))
    }
    const suggested = { name: nameFrom(name), title: name }
    return store(env, { url: `${way}:${name}`, suggested }, 'reference')
  })
  .get('/:name', async ({ env, req }) =>
    testPage(env, await storedOne(env, req.param('name')), { cookies: req.header('cookie') }),
  )
  .post('/:name/string', async ({ env, req }) => {
    const endpoint = await storedOne(env, req.param('name'))
    const { name, databases } = endpoint
    const read = await recognise(env, env.fields.get('text') ?? '')
    const [database = 'main'] = Object.keys(databases)
    const path = `/endpoints/${name}/databases/${database}/credential`
    const again = ({ message }: Refused) =>
      testPage(env, endpoint, { draft: new Draft(env.fields, { message, field: 'text' }) })
    if ('refused' in read) return again(read.refused)
    const refused = refusedBy(await ask(env, 'PUT', path, { url: read.found.url }))
    return refused ? again(refused) : toTest(env, name, read.found)
  })
  .post('/:name/remove', async ({ env, req }) => {
    const { name, active } = await storedOne(env, req.param('name'))
    // What is open has callers, and is removed in its settings.
    if (active) return seeOther(`/console/endpoints/${name}/settings`)
    await ask(env, 'DELETE', `/endpoints/${name}`)
    return seeOther('/console?done=gone')
  })

const firstStep = (visit: Visit, draft: Draft, mend?: ShownMend): Response =>
  answer(
    <AddPage visit={visit} now="string">
      {{ string: <StringForm visit={visit} draft={draft} mend={mend} /> }}
    </AddPage>,
    draft.refused ? 422 : 200,
  )

async function store(
  visit: Visit,
  found: Recognised | Pick<Recognised, 'url' | 'suggested'>,
  field: Refused['field'] = 'text',
): Promise<Response> {
  const text = (name: string) => visit.fields.get(name)?.trim() ?? ''
  const typed = { name: text('name'), title: text('title') }
  const stored = await storeEndpoint(visit, { ...found, typed })
  if ('name' in stored) return toTest(visit, stored.name, found)
  const { refused } = stored
  const own = refused.field === 'text' ? { ...refused, field } : refused
  return firstStep(visit, new Draft(visit.fields, own))
}

/** Leads on to the test, which shows what was read. */
function toTest(
  visit: Visit,
  name: string,
  found: Recognised | Pick<Recognised, 'url' | 'suggested'>,
): Response {
  const answer = seeOther(pathOf(name, 'test'))
  if (!('engine' in found)) return answer
  const { url: _, suggested: __, ...note } = found
  const cookie = noteCookie({ name, origin: visit.origin }, note)
  if (cookie) answer.headers.append('set-cookie', cookie)
  return answer
}

/** The name of a binding as an endpoint may be called. */
const nameFrom = (binding: string): string =>
  binding.toLowerCase().replaceAll('_', '-').replace(/^-+/, '').slice(0, 31)
