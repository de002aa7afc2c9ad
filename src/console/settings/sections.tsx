import { BUILT_IN } from '../parts/endpoint.ts'
import { Choice, Field, Tick, Ticks } from '../parts/field.tsx'
import { search } from './search-section.tsx'
import type { SettingsSection } from './section.ts'
import { caps, keep, limits, records } from './sizes.tsx'

const general: SettingsSection = {
  id: 'general',
  title: 'Name and state',
  fields: ['title', 'active'],
  read: (fields) => ({ title: fields.get('title') ?? '', active: fields.has('active') }),
  show: (draft, { title, active }) => (
    <>
      <Field draft={draft} name="title" label="Title" stored={title} maxlength={80} required />
      <Tick draft={draft} name="active" stored={active}>
        Answer callers. If switched off, the endpoint refuses everyone within 10 seconds.
      </Tick>
    </>
  ),
}

const access: SettingsSection = {
  id: 'access',
  title: 'Access',
  fields: ['access'],
  read: (fields) => ({ access: fields.get('access') }),
  show: (draft, { access }) => (
    <Ticks draft={draft} name="access" legend="Open to">
      <Tick draft={draft} name="access" value="key" type="radio" stored={access === 'key'}>
        Anyone with a key for it, or who has signed in
      </Tick>
      <Tick draft={draft} name="access" value="groups" type="radio" stored={access === 'groups'}>
        Only people and keys in a group that has this endpoint
      </Tick>
      <Tick draft={draft} name="access" value="public" type="radio" stored={access === 'public'}>
        Everyone who knows the URL. No key is needed: anyone on the internet can read whatever its
        databases show.
      </Tick>
    </Ticks>
  ),
}

const tools: SettingsSection = {
  id: 'tools',
  title: 'Tools for the model',
  fields: ['sql', 'tools', 'format'],
  read(fields, endpoint) {
    const ticked = BUILT_IN.filter((it) => fields.getAll('tool').includes(it))
    const own = (endpoint.tools ?? []).filter((it) => typeof it !== 'string')
    const isWhole = own.length === 0 && ticked.length === BUILT_IN.length
    return {
      sql: fields.has('sql'),
      format: fields.get('format'),
      tools: isWhole ? null : [...ticked, ...own],
    }
  },
  show: (draft, { sql, tools, format }) => (
    <>
      <Tick draft={draft} name="sql" stored={sql}>
        The model can write SQL. If off, query_table and custom tools remain.
      </Tick>
      <Ticks draft={draft} name="tools" legend="Tools">
        {BUILT_IN.map((it) => (
          <Tick draft={draft} name="tool" value={it} stored={!tools || tools.includes(it)}>
            <code>{it}</code>
          </Tick>
        ))}
      </Ticks>
      <Choice
        draft={draft}
        name="format"
        label="Answer format"
        stored={format}
        options={[
          ['json', 'JSON'],
          ['markdown', 'Markdown'],
          ['csv', 'CSV'],
        ]}
        hint="Markdown and CSV are for apps that show the text to people. The structured content stays the same."
      />
    </>
  ),
}

/** Sections of an endpoint's settings, in page order. */
export const sections: readonly SettingsSection[] = [
  general,
  access,
  tools,
  caps,
  keep,
  limits,
  records,
  search,
]
