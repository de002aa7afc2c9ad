import type { Child } from 'hono/jsx'
import { Form } from '../parts/form.tsx'
import type { Visit } from '../visit.ts'
import type { Sees } from './group.ts'
import type { ColumnPage, TablePage } from './schema.ts'

/** Where ticks are sent, and what they are about. */
interface Place {
  readonly visit: Visit
  readonly action: string
}

/** A page of tables with a tick for each. What is not on the page stays as it is. */
export const TableTicks = ({
  visit,
  action,
  page: { tables },
  sees,
  columnsHref,
}: Place & {
  readonly page: TablePage
  readonly sees: Exclude<Sees, 'all'>
  readonly columnsHref: (table: string) => string
}) => (
  <Form visit={visit} action={action} class="stack">
    <div class="panel">
      <ul class="tree">
        {tables.map(({ name, columns }, i) => {
          const seen = Object.hasOwn(sees, name) ? sees[name]! : undefined
          const count = seen === true ? columns : (seen?.length ?? 0)
          return (
            <li>
              <input type="hidden" name="shown" value={name} />
              <input
                type="checkbox"
                id={`table-${i}`}
                name="tick"
                value={name}
                checked={seen !== undefined}
              />
              <div class="leaf-line">
                <label for={`table-${i}`} dir="auto">
                  {name}
                </label>
                <a href={columnsHref(name)}>
                  {count === 0 ? 'none' : count.toLocaleString('en')} of{' '}
                  {columns.toLocaleString('en')}
                  <span class="hidden"> columns of {name}</span>
                </a>
              </div>
            </li>
          )
        })}
      </ul>
    </div>
    <SaveTicks />
  </Form>
)

/** A page of the columns of a table with a tick for each. */
export const ColumnTicks = ({
  visit,
  action,
  page: { columns },
  seen,
}: Place & {
  readonly page: ColumnPage
  readonly seen: true | readonly string[] | undefined
}) => (
  <Form visit={visit} action={action} class="stack">
    <div class="panel">
      <ul class="tree">
        {columns.map(({ name, type }, i) => (
          <li>
            <input type="hidden" name="shown" value={name} />
            <input
              type="checkbox"
              id={`column-${i}`}
              name="tick"
              value={name}
              checked={seen === true || seen?.includes(name)}
            />
            <div class="leaf-line">
              <label for={`column-${i}`} dir="auto">
                {name}
              </label>
              <span dir="auto">{type.slice(0, MAX_TYPE)}</span>
            </div>
          </li>
        ))}
      </ul>
    </div>
    <SaveTicks>
      <button class="button" type="submit" name="do" value="whole">
        The whole table, also later columns
      </button>
    </SaveTicks>
  </Form>
)

/** Characters of the type of a column. */
const MAX_TYPE = 60

const SaveTicks = ({ children }: { readonly children?: Child }) => (
  <div class="row">
    <button class="button" type="submit" name="do" value="save">
      Save the ticks
    </button>
    <button class="button" type="submit" name="do" value="page">
      Tick all on this page
    </button>
    {children}
  </div>
)

/** The names that a page of ticks showed, and those that are ticked now. */
export function ticksIn(fields: URLSearchParams): {
  readonly shown: readonly string[]
  readonly ticked: ReadonlySet<string>
} {
  const shown = fields.getAll('shown')
  const ticked = new Set(fields.get('do') === 'page' ? shown : fields.getAll('tick'))
  return { shown, ticked }
}
