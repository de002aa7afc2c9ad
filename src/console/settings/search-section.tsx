import { Area, Field } from '../parts/field.tsx'
import { linesIn, textIn } from '../parts/texts.ts'
import type { SettingsSection } from './section.ts'

/** Maximum number of tables to search. */
const MAX_TABLES = 10

/** Section for the tables that the search and fetch tools use. */
export const search: SettingsSection = {
  id: 'search',
  title: 'Tables for search and fetch',
  fields: ['search'],
  read(fields) {
    const rows = Array.from({ length: MAX_TABLES }, (_, i) => {
      const read = (name: string) => textIn(fields, `search[${i}].${name}`)
      return {
        table: read('table'),
        database: read('database') || undefined,
        title: read('title'),
        text: linesIn(fields, `search[${i}].text`),
        url: read('url') || undefined,
      }
    }).filter(({ table }) => table)
    return { search: rows.length > 0 ? rows : null }
  },
  show(draft, endpoint) {
    const stored = endpoint.search ?? []
    const hasSeveral = Object.keys(endpoint.databases).length > 1
    const shown = Math.min(MAX_TABLES, stored.length + 1)
    return (
      <>
        <p class="small dim">
          Apps such as ChatGPT use these two tools to find documents. Without any table, the tools
          are off. Leave a table’s name empty to remove its entry.
        </p>
        {Array.from({ length: shown }, (_, i) => {
          const it = stored[i]
          const input = (part: string, label: string) => ({
            draft,
            name: `search[${i}].${part}`,
            label: `${label} ${i + 1}`,
            mono: true,
          })
          return (
            <details open={it !== undefined || draft.problemOf(`search[${i}]`) !== undefined}>
              <summary>
                <bdi>{it?.table ?? 'Another table'}</bdi>
              </summary>
              <div class="pair">
                <Field {...input('table', 'Table')} stored={it?.table} />
                {hasSeveral && (
                  <Field {...input('database', 'Database for table')} stored={it?.database} />
                )}
                <Field {...input('title', 'Title column in table')} stored={it?.title} />
                <Area
                  {...input('text', 'Columns to search in table')}
                  stored={it?.text.join('\n')}
                  hint="One per line, at most ten."
                />
                <Field
                  {...input('url', 'Address of a row in table')}
                  stored={it?.url}
                  hint="https://shop.example.com/product/{id}. If empty, rows get a page on this deployment."
                />
              </div>
            </details>
          )
        })}
      </>
    )
  },
}
