import { Form } from '../parts/form.tsx'
import { pathWith } from '../parts/pages.tsx'
import type { Visit } from '../visit.ts'

/** What the address of a group's page asks for. */
export type MembersQuery = Readonly<Record<string, string | undefined>>

/** A part of a list of members. */
interface PageOf {
  readonly shown: readonly string[]
  readonly search: string
  readonly page: number
  readonly pages: number
  readonly total: number
}

/** The part of a list that the query asks for: `people=2&people-search=ada`. */
export function pageOf(
  all: readonly string[],
  query: MembersQuery,
  what: string,
  size: number,
): PageOf {
  const search = query[`${what}-search`]?.slice(0, 200) ?? ''
  const sought = search.toLowerCase()
  const found = search ? all.filter((it) => it.toLowerCase().includes(sought)) : all
  const pages = Math.max(1, Math.ceil(found.length / size))
  const page = Math.min(pages, Math.max(1, Math.trunc(Number(query[what])) || 1))
  const shown = found.slice((page - 1) * size, page * size)
  return { shown, search, page, pages, total: all.length }
}

/** Members, with ticks for those that go. */
export const Members = ({
  visit,
  path,
  what,
  page: { search, page, pages, total },
  rows,
  empty,
}: {
  readonly visit: Visit
  readonly path: string
  readonly what: 'people' | 'keys' | 'endpoints'
  readonly page: PageOf
  readonly rows: readonly {
    readonly id: string
    readonly text: string
    readonly href?: string
    readonly under?: string
  }[]
  readonly empty: string
}) => {
  if (total === 0) return empty ? <p class="dim">{empty}</p> : null
  const at = (to: number) => pathWith(path, { [what]: to, [`${what}-search`]: search })
  return (
    <>
      {(pages > 1 || search) && (
        <search aria-label={`Search the ${what}`}>
          <form class="search">
            <div class="field">
              <label for={`${what}-search`}>Name has</label>
              <input
                id={`${what}-search`}
                name={`${what}-search`}
                type="search"
                value={search}
                maxlength={200}
              />
            </div>
            <button class="button" type="submit">
              Show
            </button>
          </form>
        </search>
      )}
      <Form visit={visit} action={path} class="panel flush">
        <input type="hidden" name="change" value={`remove-${what}`} />
        <ul class="checks members">
          {rows.map(({ id, text, href, under }) => (
            <li>
              <input type="checkbox" name="member" value={id} aria-label={`Tick ${text}`} />
              <span dir="auto">
                {href ? <a href={href}>{text}</a> : text}
                {under && <span class="under small dim">{under}</span>}
              </span>
            </li>
          ))}
          {rows.length === 0 && <li>None is like this.</li>}
        </ul>
        <footer>
          <button class="button little" type="submit">
            Take out what is ticked
          </button>
          {page > 1 && <a href={at(page - 1)}>Page before</a>}
          {page < pages && <a href={at(page + 1)}>Next page</a>}
          {pages > 1 && (
            <span class="dim push">
              Page {page} of {pages}
            </span>
          )}
        </footer>
      </Form>
    </>
  )
}
