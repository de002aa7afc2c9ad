import { Area, Field } from '../parts/field.tsx'
import type { SettingsSection } from './section.ts'

/** Tables that may be searched. */
const MAX_TABLES = 10

const FIELDS = ['table', 'database', 'title', 'text', 'url'] as const

interface Searched {
  readonly table: string
  readonly database?: string
  readonly title: string
  readonly text: readonly string[]
  readonly url?: string
}

/** Tables for the tools search and fetch. */
export const search: SettingsSection = {
  id: 'search',
  title: 'Tables for search and fetch',
  fields: ['search'],
  read(fields) {
    const rows = Array.from({ length: MAX_TABLES }, (_, i) => {
      const [table, database, title, text, url] = FIELDS.map(
        (it) => fields.get(`search[${i}].${it}`)?.trim() ?? '',
      )
      const columns = (text ?? '')
        .split('\n')
        .map((it) => it.trim())
        .filter(Boolean)
      return { table, ...(database && { database }), title, text: columns, ...(url && { url }) }
    }).filter(({ table }) => table)
    return { search: rows.length > 0 ? rows : null }
  },
  show(draft, endpoint) {
    const stored: readonly Searched[] = endpoint.search ?? []
    const hasSeveral = Object.keys(endpoint.databases).length > 1
    const shown = Math.min(MAX_TABLES, stored.length + 1)
    return (
      <>
        <p class="small dim">
          Apps such as ChatGPT ask these two tools for documents. Without any table, there are no
          such tools. An empty table takes its entry away.
        </p>
        {Array.from({ length: shown }, (_, i) => {
          const it = stored[i]
          const name = `search[${i}]`
          return (
            <details open={it !== undefined || draft.problemOf(name) !== undefined}>
              <summary>
                <bdi>{it?.table ?? 'Another table'}</bdi>
              </summary>
              <div class="pair">
                <Field
                  draft={draft}
                  name={`${name}.table`}
                  label={`Table ${i + 1}`}
                  stored={it?.table}
                  mono
                />
                {hasSeveral && (
                  <Field
                    draft={draft}
                    name={`${name}.database`}
                    label={`Its database, table ${i + 1}`}
                    stored={it?.database}
                    mono
                  />
                )}
                <Field
                  draft={draft}
                  name={`${name}.title`}
                  label={`Column that is the title, table ${i + 1}`}
                  stored={it?.title}
                  mono
                />
                <Area
                  draft={draft}
                  name={`${name}.text`}
                  label={`Columns that are searched, table ${i + 1}`}
                  stored={it?.text.join('\n')}
                  hint="One in a line, at most ten."
                  mono
                />
                <Field
                  draft={draft}
                  name={`${name}.url`}
                  label={`Address of a row, table ${i + 1}`}
                  stored={it?.url}
                  hint="https://shop.example.com/product/{id}. Without it, rows have a page here."
                  mono
                />
              </div>
            </details>
          )
        })}
      </>
    )
  },
}
