import { Hono } from 'hono/tiny'
import { answer, seeOther } from '../answer.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Done } from '../parts/done.tsx'
import { FormDraft, fresh } from '../parts/draft.ts'
import { Fact } from '../parts/fact.tsx'
import { Problem } from '../parts/field.tsx'
import { ButtonLink, Submit } from '../parts/form.tsx'
import { type ApiKey, createKey, endOf, KeyForm } from '../parts/key.tsx'
import { Moment } from '../parts/moment.tsx'
import { pathWith, Search } from '../parts/pages.tsx'
import { type Answers, ask, type ConsoleVisit, demand } from '../visit.ts'
import { AccessPage, crumbsFrom } from './area.tsx'
import { EndpointChoice, endpointsIn, namesOfEndpoints } from './endpoint-choice.tsx'
import { KeyPanel } from './key-table.tsx'
import { MadeKey } from './made-key.tsx'

const LIST = '/console/access'

const MESSAGES = {
  revoked: 'Key revoked. It stops working everywhere within 10 seconds.',
  changed: 'Key saved. Takes effect everywhere within 10 seconds.',
}

/** `/console/access`: keys for all endpoints. */
export const keys = new Hono<{ Bindings: ConsoleVisit }>()
  .get('/', async (c) => {
    const visit = c.env
    const { search, endpoint, cursor, done } = c.req.query()
    const path = pathWith('/keys', { search, endpoint, cursor, limit: 50 })
    const { body, refused } = await ask<Answers['Keys']>(visit, 'GET', path)
    return answer(
      <AccessPage
        visit={visit}
        part="keys"
        title="Keys"
        about="An app that sends a key can use the key’s endpoints. A key is shown only once."
        action={
          <ButtonLink
            kind="main"
            href={pathWith(`${LIST}/keys/new`, { endpoint })}
            text="Create a key"
          />
        }
      >
        <Done flag={done} messages={MESSAGES} />
        <Search label="Label or person contains" value={search} hidden={{ endpoint }} />
        {endpoint && (
          <p>
            Keys that open <code>{endpoint}</code>. <a href={LIST}>Show all keys</a>
          </p>
        )}
        <KeyPanel
          found={body}
          path={LIST}
          query={{ search, endpoint, cursor }}
          isSought={Boolean(search || endpoint)}
        />
      </AccessPage>,
      refused ? 422 : 200,
    )
  })
  .get('/keys/new', async (c) => newKeyPage(c.env, fresh, c.req.query('endpoint')))
  .post('/keys/new', async (c) => {
    const visit = c.env
    const endpoints = endpointsIn(visit.fields)
    const created =
      endpoints.length > 0 ? await createKey(visit, endpoints) : { refused: NO_ENDPOINT }
    if ('refused' in created) return newKeyPage(visit, new FormDraft(visit.fields, created.refused))
    return answer(<MadeKey visit={visit} made={created.made} />, 201)
  })
  .get('/keys/:id', async (c) => keyPage(c.env, c.req.param('id'), fresh, c.req.query('done')))
  .post('/keys/:id', async (c) => {
    const visit = c.env
    const { fields } = visit
    const id = c.req.param('id')
    const expires = fields.get('expiresAt')
    const path = pathOf(id, { unchangedSince: fields.get('was') ?? '' })
    const { refused } = await ask(visit, 'PATCH', path, {
      label: fields.get('label') ?? '',
      endpoints: endpointsIn(fields),
      expiresAt: expires ? endOf(expires) : null,
    })
    if (refused) return keyPage(visit, id, new FormDraft(fields, refused))
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
        crumbs={crumbsFrom('keys', key.label)}
        slim
      >
        <Confirm
          visit={visit}
          action={`${LIST}/keys/${key.id}/revoke`}
          verb="Revoke the key"
          back={LIST}
        >
          <p>
            Apps that send this key or use its secret URLs are refused within 10 seconds. You can’t
            undo this: create a new key instead.
          </p>
          <dl class="facts">
            <Fact name="Opens">{namesOfEndpoints(key.endpoints)}</Fact>
            <Fact name="Person">{key.person}</Fact>
            <Fact name="Last used">
              <Moment at={key.usedAt} />
            </Fact>
          </dl>
        </Confirm>
      </AccessPage>,
    )
  })
  .post('/keys/:id/revoke', async (c) => {
    await demand(c.env, 'DELETE', pathOf(c.req.param('id')), MISSING)
    return seeOther(`${LIST}?done=revoked`)
  })

const NO_ENDPOINT = { field: 'endpoints', message: 'Select the endpoints that the key opens.' }
const MISSING = 'There is no such key. It may have been revoked already.'

const pathOf = (id: string, query: Readonly<Record<string, string>> = {}) =>
  pathWith(`/keys/${encodeURIComponent(id)}`, query)

const keyOf = (visit: ConsoleVisit, id: string) => demand<ApiKey>(visit, 'GET', pathOf(id), MISSING)

const endpointsOf = (visit: ConsoleVisit) =>
  demand<Answers['Endpoints']>(visit, 'GET', '/endpoints?limit=200')

async function newKeyPage(
  visit: ConsoleVisit,
  draft: FormDraft,
  endpoint?: string,
): Promise<Response> {
  return answer(
    <AccessPage
      visit={visit}
      part="keys"
      title="Create a key"
      crumbs={crumbsFrom('keys', 'new')}
      slim
    >
      <Problem draft={draft} />
      <KeyForm
        visit={visit}
        action={`${LIST}/keys/new`}
        draft={draft}
        buttons={
          <>
            <Submit kind="main" text="Create the key" />
            <a href={LIST}>Back</a>
          </>
        }
      >
        <EndpointChoice
          draft={draft}
          endpoints={await endpointsOf(visit)}
          stored={endpoint ? [endpoint] : []}
        />
      </KeyForm>
    </AccessPage>,
    draft.refused ? 422 : 200,
  )
}

async function keyPage(
  visit: ConsoleVisit,
  id: string,
  draft: FormDraft,
  done?: string,
): Promise<Response> {
  const [key, endpoints] = await Promise.all([keyOf(visit, id), endpointsOf(visit)])
  return answer(
    <AccessPage
      visit={visit}
      part="keys"
      title={key.label}
      crumbs={crumbsFrom('keys', key.label)}
      about={
        <>
          Created <Moment at={key.createdAt} />, last used <Moment at={key.usedAt} />. ID{' '}
          <code>{key.id}</code>.
        </>
      }
      action={<ButtonLink href={`${LIST}/keys/${key.id}/revoke`} text="Revoke" />}
      slim
    >
      <Done flag={done} messages={MESSAGES} />
      <Problem draft={draft} />
      {key.person && (
        <p>
          Databases, the call log and groups see <bdi>{key.person}</bdi>. For someone else, create
          another key.
        </p>
      )}
      {key.claims && (
        <dl class="panel facts">
          {Object.entries(key.claims).map(([name, value]) => (
            <Fact name={name}>{`${value}`}</Fact>
          ))}
        </dl>
      )}
      <KeyForm
        visit={visit}
        action={`${LIST}/keys/${key.id}`}
        draft={draft}
        stored={key}
        buttons={<Submit kind="main" text="Save" />}
      >
        <EndpointChoice draft={draft} endpoints={endpoints} stored={key.endpoints} />
      </KeyForm>
    </AccessPage>,
    draft.refused ? 422 : 200,
  )
}
