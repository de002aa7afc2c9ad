import type { FC } from 'hono/jsx'
import { counted } from '../../ground/index.ts'
import { answer } from '../answer.ts'
import { Done } from '../parts/done.tsx'
import { type FormDraft, fresh } from '../parts/draft.ts'
import { Area, Choice, Field, Problem } from '../parts/field.tsx'
import { ButtonLink } from '../parts/form.tsx'
import { Note } from '../parts/note.tsx'
import { GROUPS, groupOf, rulesInWords, titleOf } from '../rules/group.ts'
import { type Answers, ask, type ConsoleVisit, demand } from '../visit.ts'
import { AccessPage, crumbsFrom } from './area.tsx'
import { GROUP_CHANGES } from './group-change.ts'
import { membersOf } from './group-table.tsx'
import { ChangeForm, type GroupPart, Members, type MembersQuery, pageOf } from './members.tsx'

/** Members and endpoints per page. */
const PAGE = 50
const KEYS_PAGE = 20

/** Maximum number of keys or endpoints in a drop-down list. Beyond that, people type the name. */
const MAX_OPTIONS = 100

/** Page for one group: its members and endpoints. */
export async function groupPage(
  visit: ConsoleVisit,
  name: string,
  query: MembersQuery,
  draft: FormDraft = fresh,
): Promise<Response> {
  const group = await groupOf(visit, name)
  const keys = pageOf(group.keys, query, 'keys', KEYS_PAGE)
  const [labels, others, endpoints] = await Promise.all([
    labelsOf(visit, keys.shown),
    demand<Answers['Keys']>(visit, 'GET', `/keys?limit=${MAX_OPTIONS}`),
    demand<Answers['Endpoints']>(visit, 'GET', '/endpoints?limit=200'),
  ])
  const path = `${GROUPS}/${group.name}`
  const part = { visit, group, query, draft }
  return answer(
    <AccessPage
      visit={visit}
      part="groups"
      title={titleOf(group)}
      crumbs={crumbsFrom('groups', group.name)}
      about={`${membersOf(group)}, ${counted(Object.keys(group.endpoints).length, 'endpoint')}.`}
      action={
        <>
          <ButtonLink href={`${path}/report`} text="Test the rules" />
          <ButtonLink href={`${path}/delete`} text="Delete" />
        </>
      }
    >
      <Done flag={query.done} messages={GROUP_CHANGES} />
      <Problem draft={draft} />
      <Endpoints {...part} known={endpoints} />
      <div class="halves">
        <People {...part} />
        <section class="stack">
          <h2>Keys</h2>
          <Members
            {...part}
            what="keys"
            page={keys}
            rowOf={(id) => ({ text: labels.get(id) ?? id })}
          />
          {others.total === 0 ? (
            <p>
              There are no keys yet. <a href="/console/access/keys/new">Create a key</a>
            </p>
          ) : (
            <ChangeForm {...part} change="add-key" verb="Add the key">
              {others.total <= MAX_OPTIONS ? (
                <Choice
                  draft={draft}
                  name="keys"
                  label="Key to add"
                  options={others.keys.map((it) => [it.id, labelOf(it)])}
                />
              ) : (
                <Field
                  draft={draft}
                  name="keys"
                  label="ID of the key to add"
                  hint="Shown on the key’s page under Keys."
                  mono
                />
              )}
            </ChangeForm>
          )}
        </section>
      </div>
      <section class="stack">
        <h2>Title</h2>
        <ChangeForm {...part} change="title" verb="Save" class="search">
          <Field draft={draft} name="title" label="Title" stored={group.title} maxlength={80} />
        </ChangeForm>
      </section>
    </AccessPage>,
    draft.refused ? 422 : 200,
  )
}

const Endpoints: FC<GroupPart & { readonly known: Answers['Endpoints'] }> = ({
  known,
  ...part
}) => {
  const { group, query, draft } = part
  const names = Object.keys(group.endpoints)
  const others = known.endpoints.filter(({ name }) => !names.includes(name))
  return (
    <section class="stack">
      <h2>Endpoints and what the group sees</h2>
      {names.length === 0 ? (
        <Note kind="low">
          This group has no endpoint, so people and keys that are only in this group are refused
          everywhere. Add the endpoints that they need.
        </Note>
      ) : (
        <Members
          {...part}
          what="endpoints"
          page={pageOf(names, query, 'endpoints', PAGE)}
          rowOf={(name) => ({
            text: name,
            href: `${GROUPS}/${group.name}/endpoints/${name}`,
            under: rulesInWords(group.endpoints[name] ?? {}),
          })}
        />
      )}
      {known.total > names.length && (
        <ChangeForm {...part} change="add-endpoint" verb="Add the endpoint" class="panel search">
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
        </ChangeForm>
      )}
    </section>
  )
}

const People: FC<GroupPart> = (part) => (
  <section class="stack">
    <h2>People</h2>
    <Members {...part} what="people" page={pageOf(part.group.people, part.query, 'people', PAGE)} />
    <ChangeForm {...part} change="add-people" verb="Add people">
      <Area
        draft={part.draft}
        name="people"
        label="People to add, one per line"
        hint="Names as in keys and sign-ins. group:NAME adds a group from your identity provider."
        required
      />
    </ChangeForm>
  </section>
)

/** Key labels. A revoked key has no label. */
async function labelsOf(
  visit: ConsoleVisit,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const all = await Promise.all(ids.map((id) => ask<Answers['Key']>(visit, 'GET', `/keys/${id}`)))
  return new Map(all.flatMap(({ body }) => (body ? [[body.id, labelOf(body)]] : [])))
}

const labelOf = ({ label, person }: Answers['Key']) => (person ? `${label} (${person})` : label)
