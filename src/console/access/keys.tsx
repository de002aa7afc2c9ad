import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Done } from '../parts/done.tsx'
import { Draft, fresh, refusedBy } from '../parts/draft.ts'
import { NotThere } from '../parts/endpoint.ts'
import { Field, Problem } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { Pages, pathWith, Search } from '../parts/pages.tsx'
import { ask, type Visit } from '../visit.ts'
import { AccessPage } from './area.tsx'
import { EndpointChoice, endpointsIn, namesOfEndpoints } from './endpoint-choice.tsx'
import { KeyTable, type ShownKey } from './key-table.tsx'
import { MadeKey, NewKeyFields, newKeyIn } from './new-key.tsx'

const LIST = '/console/access'

const SAID = {
  revoked: 'The key is revoked. It opens nothing any more, everywhere within 10 seconds.',
  changed: 'The key is changed. It holds everywhere within 10 seconds.',
}

/** `/console/access`: the keys of all endpoints. */
export const keys = new Hono<{ Bindings: Visit }>()
  .get('/', async (c) => {
    const visit = c.env
    const { search, endpoint, cursor, done } = c.req.query()
    const found = await ask(
      visit,
      'GET',
      pathWith('/keys', { search, endpoint, cursor, limit: 50 }),
    )
    const refused = refusedBy(found)
    const { keys: shown = [], next, total } = refused ? {} : found.body
    return answer(
      <AccessPage
        visit={visit}
        part="keys"
        title="Keys"
        about="A key opens the endpoints that it names, for an app that sends it. It is shown once."
        action={
          <a class="button main" href={pathWith(`${LIST}/keys/new`, { endpoint })}>
            Make a key
          </a>
        }
      >
        <Done flag={done} said={SAID} />
        <Search label="Label or person has" value={search} hidden={{ endpoint }} />
        {endpoint && (
          <p>
            Keys that open <code>{endpoint}</code>. <a href={LIST}>Show all keys</a>
          </p>
        )}
        <div class="panel flush">
          <KeyTable keys={shown} isSought={Boolean(search || endpoint)} />
          <Pages
            path={LIST}
            query={{ search, endpoint }}
            cursor={cursor}
            next={next}
            total={total}
            what="keys"
          />
        </div>
      </AccessPage>,
      refused ? 422 : 200,
    )
  })
  .get('/keys/new', async (c) => newKeyPage(c.env, fresh, c.req.query('endpoint')))
  .post('/keys/new', async (c) => {
    const visit = c.env
    const asked = newKeyIn(visit.fields)
    if ('refused' in asked) return newKeyPage(visit, new Draft(visit.fields, asked.refused))
    const made = await ask(visit, 'POST', '/keys', asked.key)
    const refused = refusedBy(made)
    if (refused) return newKeyPage(visit, new Draft(visit.fields, refused))
    return answer(<MadeKey visit={visit} made={made.body} />, 201)
  })
  .get('/keys/:id', async (c) => keyPage(c.env, c.req.param('id'), fresh, c.req.query('done')))
  .post('/keys/:id', async (c) => {
    const visit = c.env
    const { fields } = visit
    const id = c.req.param('id')
    const expires = fields.get('expiresAt')
    const changed = await ask(
      visit,
      'PATCH',
      pathWith(`/keys/${encodeURIComponent(id)}`, { unchangedSince: fields.get('was') ?? '' }),
      {
        label: fields.get('label') ?? '',
        endpoints: endpointsIn(fields),
        expiresAt: expires ? endOf(expires) : null,
      },
    )
    const refused = refusedBy(changed)
    if (refused) return keyPage(visit, id, new Draft(fields, refused))
    return seeOther(`${LIST}/keys/${id}?done=changed`)
  })
  .get('/keys/:id/revoke', async (c) => {
    const visit = c.env
    const key = await keyOf(visit, c.req.param('id'))
    return answer(
      <AccessPage
        visit={visit}
        part="keys"
        title={`Revoke ${key.label}`}
        crumbs={
          <>
            <a href={LIST}>Keys</a> / {key.label}
          </>
        }
        slim
      >
        <Confirm
          visit={visit}
          action={`${LIST}/keys/${key.id}/revoke`}
          verb="Revoke the key"
          back={LIST}
        >
          <p>
            Apps that send this key are refused within 10 seconds, and so are its secret URLs. It
            can’t be given back: a new key has to be made.
          </p>
          <dl class="facts">
            <dt>Opens</dt>
            <dd>{namesOfEndpoints(key.endpoints)}</dd>
            {key.person && (
              <>
                <dt>Is for</dt>
                <dd dir="auto">{key.person}</dd>
              </>
            )}
            <dt>Used last</dt>
            <dd>{key.usedAt ? <Moment at={key.usedAt} /> : 'never'}</dd>
          </dl>
        </Confirm>
      </AccessPage>,
    )
  })
  .post('/keys/:id/revoke', async (c) => {
    const { status } = await ask(c.env, 'DELETE', `/keys/${encodeURIComponent(c.req.param('id'))}`)
    if (status === 404) throw new NotThere('There is no such key. It may be revoked already.')
    if (status !== 204) throw new Error(`The API answered ${status}.`)
    return seeOther(`${LIST}?done=revoked`)
  })

/** The last moment of a day. */
const endOf = (day: string): string => (day.includes('T') ? day : `${day}T23:59:59Z`)

async function keyOf(visit: Visit, id: string): Promise<ShownKey> {
  const { status, body } = await ask(visit, 'GET', `/keys/${encodeURIComponent(id)}`)
  if (status === 404) throw new NotThere('There is no such key. It may be revoked already.')
  if (status !== 200) throw new Error(`The API answered ${status}.`)
  return body
}

async function newKeyPage(visit: Visit, draft: Draft, endpoint?: string): Promise<Response> {
  const known = await ask(visit, 'GET', '/endpoints?limit=200')
  return answer(
    <AccessPage
      visit={visit}
      part="keys"
      title="Make a key"
      crumbs={
        <>
          <a href={LIST}>Keys</a> / new
        </>
      }
      slim
    >
      <Problem draft={draft} />
      <Form visit={visit} action={`${LIST}/keys/new`} class="stack far">
        <NewKeyFields draft={draft} endpoints={known.body} chosen={endpoint} />
        <div class="row">
          <button class="button main" type="submit">
            Make the key
          </button>
          <a href={LIST}>Back</a>
        </div>
      </Form>
    </AccessPage>,
    draft.refused ? 422 : 200,
  )
}

async function keyPage(visit: Visit, id: string, draft: Draft, done?: string): Promise<Response> {
  const [key, known] = await Promise.all([
    keyOf(visit, id),
    ask(visit, 'GET', '/endpoints?limit=200'),
  ])
  return answer(
    <AccessPage
      visit={visit}
      part="keys"
      title={key.label}
      crumbs={
        <>
          <a href={LIST}>Keys</a> / {key.label}
        </>
      }
      about={
        <>
          Made <Moment at={key.createdAt} />, used{' '}
          {key.usedAt ? <Moment at={key.usedAt} /> : 'never'}. Its id is <code>{key.id}</code>.
        </>
      }
      action={
        <a class="button" href={`${LIST}/keys/${key.id}/revoke`}>
          Revoke
        </a>
      }
      slim
    >
      <Done flag={done} said={SAID} />
      <Problem draft={draft} />
      {key.person && (
        <p>
          Databases, records and groups see <bdi>{key.person}</bdi>. A key for somebody else is
          another key.
        </p>
      )}
      {key.claims && (
        <dl class="panel facts">
          {Object.entries(key.claims).map(([name, value]) => (
            <>
              <dt dir="auto">{name}</dt>
              <dd dir="auto">{`${value}`}</dd>
            </>
          ))}
        </dl>
      )}
      <Form visit={visit} action={`${LIST}/keys/${key.id}`} class="stack far">
        <input type="hidden" name="was" value={key.changedAt} />
        <Field
          draft={draft}
          name="label"
          label="Label"
          stored={key.label}
          maxlength={80}
          required
        />
        <Field
          draft={draft}
          name="expiresAt"
          label="Works until the end of"
          type="date"
          stored={key.expiresAt?.slice(0, 10)}
          hint="Without a day, until it is revoked. Days are those of UTC."
        />
        <EndpointChoice draft={draft} endpoints={known.body} stored={key.endpoints} />
        <div class="row">
          <button class="button main" type="submit">
            Save
          </button>
        </div>
      </Form>
    </AccessPage>,
    draft.refused ? 422 : 200,
  )
}
