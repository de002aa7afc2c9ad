import type { Child, FC } from 'hono/jsx'
import { Form, Submit } from '../parts/form.tsx'
import { grouped } from '../parts/texts.ts'
import type { ConsoleVisit } from '../visit.ts'
import type { RuleView } from './scope.ts'

/** Id of the form with the checkboxes. Every link onward submits it, so that no selection is lost. */
const TICKS = 'ticks'

/** Button that saves the selection and goes on, to the page in `to`, `columns` or `offset`. */
export const SaveAnd = (to: Omit<Parameters<typeof Submit>[0], 'form'>) => (
  <Submit form={TICKS} {...to} />
)

/** A name with a checkbox, and the content beside it. */
interface Leaf {
  readonly name: string
  readonly isTicked: boolean
  readonly beside: Child
}

/** Form for a page of names with checkboxes. Names on other pages stay as they are. */
export const Checkboxes: FC<{
  readonly visit: ConsoleVisit
  readonly action: string
  /** Label of the search; false for a list without a search. */
  readonly search: string | false
  readonly value: string | undefined
  readonly leaves: readonly Leaf[]
  /** Text if no name matches. */
  readonly empty: string
  /** Further buttons. */
  readonly children?: Child
}> = ({ visit, action, search, value, leaves, empty, children }) => (
  <Form visit={visit} action={action} class="stack" id={TICKS}>
    {/* The first button, so that Enter in a field only saves. */}
    <button type="submit" name="do" value="save" hidden>
      Save
    </button>
    {search && (
      <div class="search">
        <div class="field">
          <label for="search">{search}</label>
          <input id="search" name="search" type="search" maxlength={200} value={value ?? ''} />
        </div>
        <Submit name="to" value="search" text="Search" />
      </div>
    )}
    {leaves.length === 0 ? (
      <p>{empty}</p>
    ) : (
      <>
        <div class="panel">
          <ul class="tree">
            {leaves.map(({ name, isTicked, beside }, i) => (
              <li>
                <input type="hidden" name="shown" value={name} />
                <input
                  type="checkbox"
                  id={`tick-${i}`}
                  name="tick"
                  value={name}
                  checked={isTicked}
                />
                <div class="leaf-line">
                  <label for={`tick-${i}`} dir="auto">
                    {name}
                  </label>
                  {beside}
                </div>
              </li>
            ))}
          </ul>
        </div>
        <div class="row">
          <Submit name="do" value="save" text="Save selection" />
          <Submit name="do" value="page" text="Select all on this page" />
          <Submit name="do" value="clear" text="Clear this page" />
          {children}
        </div>
      </>
    )}
  </Form>
)

/** Links to the pages of a list. */
export const Onward: FC<{
  readonly view: RuleView
  readonly next: number | undefined
  readonly total: number
  readonly what: string
}> = ({ view: { offset, search }, next, total, what }) =>
  offset > 0 || next !== undefined ? (
    <div class="row">
      {offset > 0 && <SaveAnd kind="plain" name="offset" value="0" text="First page" />}
      {next !== undefined && (
        <SaveAnd kind="plain" name="offset" value={`${next}`} text="Next page" />
      )}
      <span class="small dim push">
        {grouped(total)} {what} {search ? 'found' : 'in total'}
      </span>
    </div>
  ) : null
