import type { Child } from 'hono/jsx'
import { Form } from '../parts/form.tsx'
import type { Visit } from '../visit.ts'
import type { Sees } from './group.ts'
import type { ColumnPage, TablePage } from './schema.ts'

/** The form of the ticks. Whatever leads on from it sends it, so that no tick is lost. */
const TICKS = 'ticks'

/** A button that saves the ticks of this page and leads on: by `to`, `columns` or `offset`. */
export const SaveAnd = ({
  children,
  ...rest
}: {
  readonly children: Child
  readonly class: string
  readonly name: string
  readonly value: string
}) => (
  <button type="submit" form={TICKS} {...rest}>
    {children}
  </button>
)

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
  search,
  sees,
}: Place & {
  readonly page: TablePage
  readonly search: string | undefined
  readonly sees: Exclude<Sees, 'all'>
}) => (
  <Form visit={visit} action={action} class="stack" id={TICKS}>
    <ByEnter />
    <div class="search">
      <div class="field">
        <label for="search">Text in the name of a table, a column or a comment</label>
        <input id="search" name="search" type="search" maxlength={200} value={search ?? ''} />
      </div>
      <button class="button" type="submit" name="to" value="search">
        Search
      </button>
    </div>
    {tables.length === 0 && <p>There is no such table.</p>}
    <div class="panel" hidden={tables.length === 0}>
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
                <button class="button plain little" type="submit" name="columns" value={name}>
                  {count === 0 ? 'none' : count.toLocaleString('en')} of{' '}
                  {columns.toLocaleString('en')}
                  <span class="hidden"> columns of {name}</span>
                </button>
              </div>
            </li>
          )
        })}
      </ul>
    </div>
    {tables.length > 0 && <SaveTicks />}
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
  <Form visit={visit} action={action} class="stack" id={TICKS}>
    <ByEnter />
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
        All columns, also later ones
      </button>
    </SaveTicks>
  </Form>
)

/** What Enter presses in a field of the form: the first button of all, which only saves. */
const ByEnter = () => (
  <button type="submit" name="do" value="save" hidden>
    Save
  </button>
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
