import { Choice, Field, Tick, Ticks } from '../parts/field.tsx'
import { BUILT_IN } from '../parts/tools.ts'
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
        It answers callers. Switched off, it refuses everybody within 10 seconds.
      </Tick>
    </>
  ),
}

const access: SettingsSection = {
  id: 'access',
  title: 'Who may ask',
  fields: ['access'],
  read: (fields) => ({ access: fields.get('access') }),
  show: (draft, { access }) => (
    <Ticks draft={draft} name="access" legend="Access">
      <Tick draft={draft} name="access" value="key" type="radio" stored={access === 'key'}>
        Who shows a key that opens it, or has signed in
      </Tick>
      <Tick draft={draft} name="access" value="public" type="radio" stored={access === 'public'}>
        Everybody who knows the URL. There is no key then: whatever its databases show, anybody on
        the internet can read.
      </Tick>
    </Ticks>
  ),
}

const tools: SettingsSection = {
  id: 'tools',
  title: 'What a model may use',
  fields: ['sql', 'tools', 'format'],
  read(fields, endpoint) {
    const ticked = BUILT_IN.filter((it) => fields.getAll('tool').includes(it))
    const own = (endpoint.tools ?? []).filter((it: unknown) => typeof it !== 'string')
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
        A model may write SQL. Without it, query_table and tools of your own remain.
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
        label="Text of answers"
        stored={format}
        options={[
          ['json', 'JSON'],
          ['markdown', 'Markdown'],
          ['csv', 'CSV'],
        ]}
        hint="Markdown and CSV are for apps that show the text to people. The structure beside it stays the same."
      />
    </>
  ),
}

/** The parts of the settings of an endpoint, in the order that a person meets them. */
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
