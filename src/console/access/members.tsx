import type { Child, FC } from 'hono/jsx'
import type { FormDraft } from '../parts/draft.ts'
import { Form, Submit } from '../parts/form.tsx'
import { pathWith, Search } from '../parts/pages.tsx'
import { GROUPS, type ShownGroup } from '../rules/group.ts'
import type { ConsoleVisit } from '../visit.ts'

/** Query in the address of a group's page. */
export type MembersQuery = Readonly<Record<string, string | undefined>>

/** A group, with the query and form of its page. */
export interface GroupPart {
  readonly visit: ConsoleVisit
  readonly group: ShownGroup
  readonly query: MembersQuery
  readonly draft: FormDraft
}

/** Page of a list that the query selects: `people=2&people-search=ada`. */
export function pageOf(all: readonly string[], query: MembersQuery, what: string, size: number) {
  const search = query[`${what}-search`]?.slice(0, 200) ?? ''
  const sought = search.toLowerCase()
  const found = search ? all.filter((it) => it.toLowerCase().includes(sought)) : all
  const pages = Math.max(1, Math.ceil(found.length / size))
  const page = Math.min(pages, Math.max(1, Math.trunc(Number(query[what])) || 1))
  const shown = found.slice((page - 1) * size, page * size)
  return { shown, search, page, pages, total: all.length }
}

interface MemberRow {
  readonly text: string
  readonly href?: string
  readonly under?: string
}

/** Members, with checkboxes to remove them. */
export const Members: FC<
  GroupPart & {
    readonly what: 'people' | 'keys' | 'endpoints'
    readonly page: ReturnType<typeof pageOf>
    /** Content of a member's row. Defaults to its id. */
    readonly rowOf?: (id: string) => MemberRow
  }
> = ({ visit, group, what, page, rowOf = (text): MemberRow => ({ text }) }) => {
  const { shown, search, page: at, pages, total } = page
  if (total === 0) return <p class="dim">No {what} in this group.</p>
  const path = `${GROUPS}/${group.name}`
  const href = (to: number) => pathWith(path, { [what]: to, [`${what}-search`]: search })
  return (
    <>
      {(pages > 1 || search) && (
        <Search
          label="Name contains"
          value={search}
          name={`${what}-search`}
          about={`Search the ${what}`}
        />
      )}
      <Form visit={visit} action={path} class="panel flush">
        <input type="hidden" name="change" value={`remove-${what}`} />
        <ul class="checks members">
          {shown.map((id) => (
            <Member id={id} {...rowOf(id)} />
          ))}
          {shown.length === 0 && <li>No match.</li>}
        </ul>
        <footer>
          <Submit kind="little" text="Remove selected" />
          {at > 1 && <a href={href(at - 1)}>Previous page</a>}
          {at < pages && <a href={href(at + 1)}>Next page</a>}
          {pages > 1 && (
            <span class="dim push">
              Page {at} of {pages}
            </span>
          )}
        </footer>
      </Form>
    </>
  )
}

const Member: FC<MemberRow & { readonly id: string }> = ({ id, text, href, under }) => (
  <li>
    <input type="checkbox" name="member" value={id} aria-label={`Select ${text}`} />
    <span dir="auto">
      {href ? <a href={href}>{text}</a> : text}
      {under && <span class="under small dim">{under}</span>}
    </span>
  </li>
)

/** Form for one change to a group. */
export const ChangeForm: FC<
  GroupPart & {
    readonly change: string
    /** Text of its button. */
    readonly verb: string
    readonly class?: string
    readonly children: Child
  }
> = ({ visit, group, change, verb, class: style = 'panel stack', children }) => (
  <Form visit={visit} action={`${GROUPS}/${group.name}`} class={style}>
    <input type="hidden" name="change" value={change} />
    {children}
    <div class="row">
      <Submit text={verb} />
    </div>
  </Form>
)
