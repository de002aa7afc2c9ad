import type { Child } from 'hono/jsx'
import { Done } from '../parts/done.tsx'
import type { Draft } from '../parts/draft.ts'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Field, Problem } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { pathWith } from '../parts/pages.tsx'
import type { Visit } from '../visit.ts'
import type { Asked } from './asked.ts'
import type { Choice } from './choice.tsx'
import { AddPage, pathOf } from './gauge.tsx'
import type { Group } from './group.ts'
import { SaveAnd } from './ticks.tsx'

/** The fourth step: which group sees what, and what the model will see then. */
export const WhoPage = ({
  visit,
  endpoint,
  groups,
  asked,
  draft,
  choice,
  preview,
}: {
  readonly visit: Visit
  readonly endpoint: ShownEndpoint
  /** Groups to choose from. */
  readonly groups: readonly Pick<Group, 'name' | 'title' | 'people'>[]
  readonly asked: Asked
  readonly draft: Draft
  /** What the chosen group sees, to be ticked. */
  readonly choice: Choice
  readonly preview: Child
}) => (
  <AddPage
    visit={visit}
    now="who"
    endpoint={endpoint}
    wide
    above={
      <>
        <Done flag={asked.done} said={DONE} />
        <Problem draft={draft} />
      </>
    }
  >
    {{
      who: (
        <>
          <p>
            Whoever has a key for this endpoint sees all of it, unless they are in a group. A group
            sees what is ticked, and nothing else.
          </p>
          <div class="row">
            <ChooseGroup groups={groups} chosen={asked.group} />
            <NewGroup visit={visit} name={endpoint.name} draft={draft} />
          </div>
          <div class="halves">
            <div class="stack">{choice.shown}</div>
            <div class="stack">{preview}</div>
          </div>
          <div class="row">
            {choice.hasTicks ? (
              <SaveAnd class="button main" name="to" value="connect">
                Save and go on
              </SaveAnd>
            ) : (
              <a
                class="button main"
                href={pathWith(pathOf(endpoint.name, 'connect'), { group: asked.group })}
              >
                Go on{asked.group ? '' : ' without a group'}
              </a>
            )}
          </div>
        </>
      ),
    }}
  </AddPage>
)

const DONE = {
  saved: 'What the group sees is saved.',
  made: 'The group is made. It sees nothing of this endpoint before you tick something.',
}

const ChooseGroup = ({
  groups,
  chosen,
}: {
  readonly groups: readonly Pick<Group, 'name' | 'title' | 'people'>[]
  readonly chosen: string | undefined
}) =>
  groups.length > 0 ? (
    <form class="search">
      <div class="field">
        <label for="group">Group</label>
        <select id="group" name="group">
          <option value="">None: whoever has a key</option>
          {groups.map(({ name, title, people }) => (
            <option value={name} selected={name === chosen}>
              {title ?? name}, {people.length} {people.length === 1 ? 'person' : 'people'}
            </option>
          ))}
        </select>
      </div>
      <button class="button" type="submit">
        Show
      </button>
    </form>
  ) : null

const NewGroup = ({
  visit,
  name,
  draft,
}: {
  readonly visit: Visit
  readonly name: string
  readonly draft: Draft
}) => (
  <details open={draft.problemOf('name') !== undefined}>
    <summary>Make a group</summary>
    <Form visit={visit} action={`${pathOf(name, 'who')}/group`} class="stack">
      <Field
        draft={draft}
        name="name"
        label="Name of the group"
        mono
        required
        maxlength={31}
        placeholder="analysts"
      />
      <div class="row">
        <button class="button" type="submit">
          Make it
        </button>
        <span class="small dim">
          People and keys are put into it under <a href="/console/access/groups">Access</a>.
        </span>
      </div>
    </Form>
  </details>
)
