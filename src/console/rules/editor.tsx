import type { Child, FC } from 'hono/jsx'
import { Form, Submit } from '../parts/form.tsx'
import { Note } from '../parts/note.tsx'
import { grouped } from '../parts/texts.ts'
import { columnsOf, tablesOf } from './catalog.ts'
import { Checkboxes, Onward, SaveAnd } from './checkboxes.tsx'
import type { DatabaseAccess } from './group.ts'
import { hrefOf, type RuleScope, type RuleView, ruleFor, rulesOf } from './scope.ts'

/** Form that sets what a group sees in a database. With checkboxes, every link onward must save them first. */
export interface RuleEditor {
  readonly shown: Child
  readonly hasTicks?: boolean
}

/** Columns per page, and maximum length of a column's type. */
const COLUMNS = 100
const MAX_TYPE = 60

/** Makes the form: whole database or selected tables, then a page of tables or of a table's columns. */
export async function editorOf(scope: RuleScope, view: RuleView): Promise<RuleEditor> {
  const rules = rulesOf(scope)
  const action = hrefOf(scope, { ...view, done: undefined })
  const whole = <WholeOrNothing scope={scope} action={action} rules={rules} />
  if (rules === 'missing' || !(rules.tables || rules.schemas)) return { shown: whole }
  return view.table === undefined
    ? tableEditor({ scope, view, action, rules, whole })
    : columnEditor({ scope, view, action, rules }, view.table)
}

interface Editing {
  readonly scope: RuleScope
  readonly view: RuleView
  readonly action: string
  readonly rules: DatabaseAccess
}

async function tableEditor({
  scope,
  view,
  action,
  rules,
  whole,
}: Editing & { readonly whole: Child }): Promise<RuleEditor> {
  const { body, refused } = await tablesOf(scope, view.search, view.offset)
  if (refused) {
    return {
      shown: (
        <>
          {whole}
          <Note kind="bad">{refused.message}</Note>
        </>
      ),
    }
  }
  const { tables = [], total = 0, next } = body
  const shown = (
    <>
      {whole}
      <Checkboxes
        visit={scope.visit}
        action={action}
        search="Table, column or comment contains"
        value={view.search}
        empty="No tables match."
        leaves={tables.map(({ name, columns }) => ({
          name,
          isTicked: ruleFor(rules, name) !== undefined,
          beside: <ColumnsSeen rules={rules} name={name} columns={columns} />,
        }))}
      />
      <Onward view={view} next={next} total={total} what="tables" />
    </>
  )
  return { shown, hasTicks: true }
}

/** Number of a table's visible columns. The button leads to them. */
const ColumnsSeen: FC<{
  readonly rules: DatabaseAccess
  readonly name: string
  readonly columns: number
}> = ({ rules, name, columns }) => {
  const schema = name.includes('.') ? name.slice(0, name.indexOf('.')) : ''
  if (rules.schemas?.includes(schema)) return <span>through its schema</span>
  const seen = ruleFor(rules, name)
  const count = seen === true ? columns : (seen?.length ?? 0)
  return (
    <button class="button plain little" type="submit" name="columns" value={name}>
      {count === 0 ? 'none' : grouped(count)} of {grouped(columns)}
      <span class="hidden"> columns of {name}</span>
    </button>
  )
}

async function columnEditor(
  { scope, view, action, rules }: Editing,
  table: string,
): Promise<RuleEditor> {
  const all = await columnsOf(scope, table)
  if ('message' in all) return { shown: <Note kind="bad">{all.message}</Note> }
  const seen = ruleFor(rules, table)
  const sought = view.search?.toLowerCase() ?? ''
  const found = all.filter(({ name }) => name.toLowerCase().includes(sought))
  const after = view.offset + COLUMNS
  const columns = found.slice(view.offset, after)
  const hasTicks = all.length > 0
  const shown = (
    <>
      <p>
        {seen === true
          ? 'The group sees the whole table, including columns added later.'
          : seen
            ? `The group sees ${seen.length} of ${all.length} columns. Columns added later stay hidden.`
            : 'The group does not see this table. Select a column to show it.'}
      </p>
      {hasTicks && (
        <Checkboxes
          visit={scope.visit}
          action={action}
          search={all.length > COLUMNS && 'Column contains'}
          value={view.search}
          empty="No columns match."
          leaves={columns.map(({ name, type }) => ({
            name,
            isTicked: seen === true || (seen?.includes(name) ?? false),
            beside: <span dir="auto">{type.slice(0, MAX_TYPE)}</span>,
          }))}
        >
          <Submit name="do" value="whole" text="All columns, including ones added later" />
        </Checkboxes>
      )}
      <Onward
        view={view}
        next={after < found.length ? after : undefined}
        total={found.length}
        what="columns"
      />
      <p>
        {hasTicks ? (
          <SaveAnd kind="plain" name="to" value="tables" text="All tables" />
        ) : (
          <a href={hrefOf(scope, { offset: 0 })}>All tables</a>
        )}
      </p>
    </>
  )
  return { shown, hasTicks }
}

/** Choice between the whole database and selected tables. */
const WholeOrNothing: FC<{
  readonly scope: RuleScope
  readonly action: string
  readonly rules: DatabaseAccess | 'missing'
}> = ({ scope, action, rules }) => {
  const isMissing = rules === 'missing'
  const isAll = !isMissing && !rules.tables && !rules.schemas
  return (
    <Form visit={scope.visit} action={action} class="stack">
      <p>
        {isMissing
          ? 'The group has no access to this endpoint yet: its people and keys are refused.'
          : isAll
            ? 'The group sees the whole database, including tables added later.'
            : 'The group sees what is selected.'}
      </p>
      <div class="row">
        {!isAll && <Submit kind="little" name="do" value="all" text="Show the whole database" />}
        {(isAll || isMissing) && (
          <Submit kind="little" name="do" value="none" text="Select what to show" />
        )}
      </div>
    </Form>
  )
}
