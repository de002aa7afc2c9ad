/** What leads through a list: back to its first page, and on to the next. */
export const Pages = ({
  path,
  query = {},
  cursor,
  next,
  total,
  what,
}: {
  readonly path: string
  /** What is sought. */
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly cursor?: string | undefined
  readonly next?: string | undefined
  readonly total?: number | undefined
  /** What there are so many of: `keys`. */
  readonly what: string
}) =>
  cursor || next || total !== undefined ? (
    <footer>
      {cursor && <a href={pathWith(path, query)}>First page</a>}
      {next && <a href={pathWith(path, { ...query, cursor: next })}>Next page</a>}
      {total !== undefined && (
        <span class="dim push">
          {total.toLocaleString('en')} {total === 1 ? what.replace(/s$/, '') : what} in all
        </span>
      )}
    </footer>
  ) : null

/** A path with those parameters that have a value. */
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

/** A field to seek by, above a list. It works as a plain form. */
export const Search = ({
  label,
  value,
  hidden = {},
}: {
  readonly label: string
  readonly value: string | undefined
  readonly hidden?: Readonly<Record<string, string | undefined>>
}) => (
  <search>
    <form class="search">
      {Object.entries(hidden).map(
        ([name, it]) => it && <input type="hidden" name={name} value={it} />,
      )}
      <div class="field">
        <label for="search">{label}</label>
        <input id="search" name="search" type="search" maxlength={200} value={value ?? ''} />
      </div>
      <button class="button" type="submit">
        Show
      </button>
    </form>
  </search>
)
