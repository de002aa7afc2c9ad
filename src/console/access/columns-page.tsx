import { answer } from '../answer.ts'
import { Done } from '../parts/done.tsx'
import { type Draft, fresh } from '../parts/draft.ts'
import { Problem } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { pathWith, Search } from '../parts/pages.tsx'
import { AccessPage } from './area.tsx'
import { columnsOf } from './catalog.ts'
import { titleOf } from './group.ts'
import { Crumbs, ownRule, type Place, pathOf, SAID } from './rule-place.tsx'

/** Columns of a page. */
const PAGE = 100

/** The columns of a table, ticked where a group sees them. */
export async function columnsPage(
  place: Place,
  query: Readonly<Record<string, string | undefined>>,
  draft: Draft = fresh,
): Promise<Response> {
  const { visit, group, endpoint, database, rules } = place
  const { table = '', search = '', done } = query
  const { columns, problem } = await columnsOf(visit, endpoint, database, table)
  const rule = ownRule(rules ?? {}, table)
  const sought = search.toLowerCase()
  const found = columns.filter(({ name }) => name.toLowerCase().includes(sought))
  const pages = Math.max(1, Math.ceil(found.length / PAGE))
  const page = Math.min(pages, Math.max(1, Math.trunc(Number(query.page)) || 1))
  const shown = found.slice((page - 1) * PAGE, page * PAGE)
  const path = pathOf(place)
  const at = (to: number) => pathWith(`${path}/columns`, { table, search, page: to })
  const isSeen = (column: string) => rule === true || (rule?.includes(column) ?? false)
  return answer(
    <AccessPage
      visit={visit}
      part="groups"
      title={`${titleOf(group)}: columns of ${table}`}
      crumbs={
        <>
          <Crumbs place={place} /> / <a href={path}>{database}</a> / <bdi>{table}</bdi>
        </>
      }
      slim
    >
      <Done flag={done} said={SAID} />
      <Problem draft={draft} />
      {problem && (
        <div class="note bad">
          <p dir="auto">{problem}</p>
        </div>
      )}
      <p>
        {rule === true
          ? 'It sees the whole table, also columns that come later.'
          : rule
            ? `It sees ${rule.length} of ${columns.length} columns. A column that comes later is not seen.`
            : 'It does not see this table. It does once you tick a column.'}
      </p>
      {(pages > 1 || search) && <Search label="Column has" value={search} hidden={{ table }} />}
      <Form visit={visit} action={`${path}/columns`} class="panel flush">
        <input type="hidden" name="table" value={table} />
        <input type="hidden" name="search" value={search} />
        <input type="hidden" name="page" value={`${page}`} />
        <ul class="checks members">
          {shown.map(({ name, type }) => (
            <li>
              <input type="hidden" name="shown" value={name} />
              <input
                type="checkbox"
                name="column"
                value={name}
                checked={isSeen(name)}
                aria-label={`${name} is seen`}
              />
              <span dir="auto" class="mono">
                {name}
              </span>
              <span class="n" dir="auto">
                {type}
              </span>
            </li>
          ))}
          {shown.length === 0 && !problem && <li>No column is like this.</li>}
        </ul>
        <footer>
          <button class="button main little" type="submit" name="act" value="save">
            Save these ticks
          </button>
          <button class="button little" type="submit" name="act" value="all-columns">
            Let it see every column
          </button>
          {page > 1 && <a href={at(page - 1)}>Page before</a>}
          {page < pages && <a href={at(page + 1)}>Next page</a>}
          <span class="dim push">{found.length} found</span>
        </footer>
      </Form>
    </AccessPage>,
    draft.refused ? 422 : 200,
  )
}
