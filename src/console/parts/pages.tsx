import type { FC } from 'hono/jsx'
import { counted } from '../../ground/index.ts'
import { Submit } from './form.tsx'

/** Links through a list: to its first page and to the next one. */
export const Pages: FC<{
  readonly path: string
  /** Search parameters of this page. */
  readonly query: Readonly<Record<string, string | undefined>>
  /** The page of the list, as the API returned it. */
  readonly of: { readonly next?: string | undefined; readonly total?: number } | undefined
  /** Plural of the things in the list: `keys`. */
  readonly what: string
}> = ({ path, query: { cursor, ...query }, of: { next, total } = {}, what }) =>
  cursor || next || total !== undefined ? (
    <footer>
      {cursor && <a href={pathWith(path, query)}>First page</a>}
      {next && <a href={pathWith(path, { ...query, cursor: next })}>Next page</a>}
      {total !== undefined && (
        <span class="dim push">{counted(total, what.replace(/s$/, ''))} in total</span>
      )}
    </footer>
  ) : null

/** A path with the parameters that have a value. */
export function pathWith(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, `${value}`]],
  )
  const text = new URLSearchParams(given).toString()
  return text ? `${path}?${text}` : path
}

/** Search field above a list. It works without JavaScript. */
export const Search: FC<{
  readonly label: string
  readonly value: string | undefined
  readonly name?: string
  /** Name of the search for a screen reader, if a page has several. */
  readonly about?: string
  readonly hidden?: Readonly<Record<string, string | undefined>>
}> = ({ label, value, name = 'search', about, hidden = {} }) => (
  <search aria-label={about}>
    <form class="search">
      {Object.entries(hidden).map(
        ([key, it]) => it && <input type="hidden" name={key} value={it} />,
      )}
      <div class="field">
        <label for={name}>{label}</label>
        <input id={name} name={name} type="search" maxlength={200} value={value ?? ''} />
      </div>
      <Submit text="Show" />
    </form>
  </search>
)
