import { answer } from '../answer.ts'
import { Done } from '../parts/done.tsx'
import { type Draft, fresh } from '../parts/draft.ts'
import { Area, Choice, Field, Problem } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { ask, type Visit } from '../visit.ts'
import { AccessPage } from './area.tsx'
import { counted, GROUPS, groupOf, rulesInWords, type ShownGroup, titleOf } from './group.ts'
import { GROUP_CHANGES } from './group-change.ts'
import type { ShownKey } from './key-table.tsx'
import { Members, type MembersQuery, pageOf } from './members.tsx'

/** Members and endpoints of a page. */
const PAGE = 50
const KEYS_PAGE = 20

/** Keys and endpoints that can be chosen from a list. More of them are typed. */
const MAX_OPTIONS = 100

/** The page of one group: who is in it, and which endpoints it has. */
export async function groupPage(
  visit: Visit,
  name: string,
  query: MembersQuery,
  draft: Draft = fresh,
): Promise<Response> {
  const group = await groupOf(visit, name)
  const keys = pageOf(group.keys, query, 'keys', KEYS_PAGE)
  const [labels, others, endpoints] = await Promise.all([
    labelsOf(visit, keys.shown),
    ask(visit, 'GET', `/keys?limit=${MAX_OPTIONS}`),
    ask(visit, 'GET', '/endpoints?limit=200'),
  ])
  const path = `${GROUPS}/${group.name}`
  return answer(
    <AccessPage
      visit={visit}
      part="groups"
      title={titleOf(group)}
      crumbs={
        <>
          <a href={GROUPS}>Groups</a> / {group.name}
        </>
      }
      about={`${counted(group.people.length, 'person', 'people')}, ${counted(group.keys.length, 'key')}, ${counted(Object.keys(group.endpoints).length, 'endpoint')}.`}
      action={
        <>
          <a class="button" href={`${path}/report`}>
            What it does not have
          </a>
          <a class="button" href={`${path}/delete`}>
            Delete
          </a>
        </>
      }
    >
      <Done flag={query.done} said={GROUP_CHANGES} />
      <Problem draft={draft} />
      <Endpoints visit={visit} group={group} query={query} draft={draft} known={endpoints.body} />
      <div class="halves">
        <People visit={visit} group={group} query={query} draft={draft} />
        <section class="stack">
          <h2>Keys</h2>
          <Members
            visit={visit}
            path={path}
            what="keys"
            page={keys}
            rows={keys.shown.map((id) => ({ id, text: labels.get(id) ?? id }))}
            empty="No key is in it."
          />
          {others.body.total === 0 ? (
            <p>
              There are no keys yet. <a href="/console/access/keys/new">Make a key</a>
            </p>
          ) : (
            <Form visit={visit} action={path} class="panel stack">
              <input type="hidden" name="change" value="add-key" />
              {others.body?.total <= MAX_OPTIONS ? (
                <Choice
                  draft={draft}
                  name="keys"
                  label="Key to add"
                  options={others.body.keys.map(({ id, label, person }: ShownKey) => [
                    id,
                    person ? `${label} (${person})` : label,
                  ])}
                />
              ) : (
                <Field
                  draft={draft}
                  name="keys"
                  label="Id of the key to add"
                  hint="Its page under Keys says it."
                  mono
                />
              )}
              <Submit>Add the key</Submit>
            </Form>
          )}
        </section>
      </div>
      <section class="stack">
        <h2>Title</h2>
        <Form visit={visit} action={path} class="search">
          <input type="hidden" name="change" value="title" />
          <Field draft={draft} name="title" label="Title" stored={group.title} maxlength={80} />
          <Submit>Save</Submit>
        </Form>
      </section>
    </AccessPage>,
    draft.refused ? 422 : 200,
  )
}

const Submit = ({ children }: { readonly children: string }) => (
  <div class="row">
    <button class="button" type="submit">
      {children}
    </button>
  </div>
)

interface Part {
  readonly visit: Visit
  readonly group: ShownGroup
  readonly query: MembersQuery
  readonly draft: Draft
}

const Endpoints = ({
  visit,
  group,
  query,
  draft,
  known,
}: Part & {
  readonly known: {
    readonly endpoints: readonly { readonly name: string; readonly title: string }[]
    readonly total: number
  }
}) => {
  const path = `${GROUPS}/${group.name}`
  const names = Object.keys(group.endpoints)
  const page = pageOf(names, query, 'endpoints', PAGE)
  const others = known.endpoints.filter(({ name }) => !names.includes(name))
  return (
    <section class="stack">
      <h2>Endpoints, and what it may see of them</h2>
      {names.length === 0 && (
        <div class="note low">
          <p>
            It has no endpoint, so whoever is in this group alone is refused everywhere. Add those
            that they need.
          </p>
        </div>
      )}
      <Members
        visit={visit}
        path={path}
        what="endpoints"
        page={page}
        rows={page.shown.map((name) => ({
          id: name,
          text: name,
          href: `${path}/endpoints/${name}`,
          under: rulesInWords(group.endpoints[name] ?? {}),
        }))}
        empty=""
      />
      {known.total > names.length && (
        <Form visit={visit} action={path} class="panel search">
          <input type="hidden" name="change" value="add-endpoint" />
          {known.total <= MAX_OPTIONS ? (
            <Choice
              draft={draft}
              name="endpoints"
              label="Endpoint to add"
              options={others.map(({ name, title }) => [name, `${name}: ${title}`])}
            />
          ) : (
            <Field draft={draft} name="endpoints" label="Name of the endpoint to add" mono />
          )}
          <button class="button" type="submit">
            Add the endpoint
          </button>
        </Form>
      )}
    </section>
  )
}

const People = ({ visit, group, query, draft }: Part) => {
  const path = `${GROUPS}/${group.name}`
  const page = pageOf(group.people, query, 'people', PAGE)
  return (
    <section class="stack">
      <h2>People</h2>
      <Members
        visit={visit}
        path={path}
        what="people"
        page={page}
        rows={page.shown.map((it) => ({ id: it, text: it }))}
        empty="Nobody is in it."
      />
      <Form visit={visit} action={path} class="panel stack">
        <input type="hidden" name="change" value="add-people" />
        <Area
          draft={draft}
          name="people"
          label="People to add, one in a line"
          hint="As keys and the sign-in name them. group:NAME stands for a group of your identity provider."
          required
        />
        <Submit>Add them</Submit>
      </Form>
    </section>
  )
}

/** The labels of keys. One that was revoked has none. */
async function labelsOf(
  visit: Visit,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const all = await Promise.all(ids.map((id) => ask(visit, 'GET', `/keys/${id}`)))
  return new Map(
    all.flatMap(({ status, body }, i) =>
      status === 200
        ? [[ids[i]!, body.person ? `${body.label} (${body.person})` : body.label]]
        : [],
    ),
  )
}
