import type { FC } from 'hono/jsx'
import { counted } from '../../ground/index.ts'
import { fresh } from '../parts/draft.ts'
import { Area, Field } from '../parts/field.tsx'
import { Form, Submit } from '../parts/form.tsx'
import { hidden, Table, type TableHeading } from '../parts/table.tsx'
import { cut } from '../parts/texts.ts'
import type { ConsoleVisit } from '../visit.ts'
import { MAX_TEXT_CHARS, markOf } from './changes.ts'
import { hrefOf, type SchemaPlace, schemaPath } from './place.ts'

/** Terms per page, and maximum length of a meaning. */
const PAGE_TERMS = 25
const SHOWN_CHARS = 160

/** Maximum length of a term in the API. */
const MAX_TERM_CHARS = 80

/** An unsaved term. */
export interface TypedTerm {
  readonly term: string
  readonly meaning: string
}

/** An endpoint's terms, with a form for one of them. */
export const Terms: FC<{
  readonly visit: ConsoleVisit
  readonly place: SchemaPlace
  readonly terms: Readonly<Record<string, string>>
  readonly writable: boolean
  readonly typed?: TypedTerm | undefined
}> = ({ visit, place, terms, writable, typed }) => {
  const all = Object.entries(terms)
  const from = place.terms < all.length ? place.terms : 0
  const shown = all.slice(from, from + PAGE_TERMS)
  const chosen = all.find(([it]) => it === place.term)
  return (
    <section class="stack" aria-labelledby="terms">
      <div class="row base">
        <h2 id="terms">Terms</h2>
        <span class="small dim">{costOf(all)}</span>
      </div>
      {shown.length === 0 ? (
        <p class="dim">
          Words that people use in questions, with their meaning here, such as “revenue” or “active
          customer”. The model reads them before its first call.
        </p>
      ) : (
        <Table
          caption="Terms and what they mean here"
          class="bare fold"
          rows={shown}
          columns={[
            {
              head: 'Term',
              isName: true,
              dir: 'auto',
              cellId: (i) => `t${i}`,
              cell: ([term]) => term,
            },
            {
              head: 'Means',
              class: 'whole',
              dir: 'auto',
              cell: ([, meaning]) => cut(meaning, SHOWN_CHARS),
            },
            ...(writable ? [changeTerm(place)] : []),
          ]}
        />
      )}
      {all.length > PAGE_TERMS && (
        <p class="row small dim">
          <span>
            {from + 1} to {from + shown.length} of {all.length}
          </span>
          {from > 0 && (
            <a href={`${hrefOf(place, { terms: Math.max(0, from - PAGE_TERMS) })}#terms`}>
              Previous terms
            </a>
          )}
          {from + shown.length < all.length && (
            <a href={`${hrefOf(place, { terms: from + shown.length })}#terms`}>More terms</a>
          )}
        </p>
      )}
      {writable && (
        <TermForm
          visit={visit}
          place={place}
          was={chosen && { term: chosen[0], meaning: chosen[1] }}
          typed={typed}
        />
      )}
    </section>
  )
}

/** Column with links that change a term. */
const changeTerm = (
  place: SchemaPlace,
): TableHeading<readonly [term: string, meaning: string]> => ({
  head: hidden('Change'),
  class: 'small right',
  cell: ([term], i) => (
    <a
      id={`change${i}`}
      aria-labelledby={`change${i} t${i}`}
      href={`${hrefOf(place, { term })}#term-form`}
    >
      Change
    </a>
  ),
})

/** Maximum length of the terms in the instructions. */
const MAX_INSTRUCTION_CHARS = 1_000

function costOf(all: readonly (readonly [string, string])[]): string {
  if (all.length === 0) return ''
  const chars = all.reduce((sum, [term, meaning]) => sum + term.length + meaning.length + 4, 0)
  const tokens = Math.ceil(Math.min(chars, MAX_INSTRUCTION_CHARS) / 4)
  const rest = chars > MAX_INSTRUCTION_CHARS ? '; the rest can be found with list_tables' : ''
  return `${counted(all.length, 'term')}, about ${counted(tokens, 'token')} per conversation${rest}`
}

const TermForm: FC<{
  readonly visit: ConsoleVisit
  readonly place: SchemaPlace
  readonly was: TypedTerm | undefined
  readonly typed: TypedTerm | undefined
}> = ({ visit, place, was, typed }) => (
  <Form
    visit={visit}
    action={schemaPath(place, '/terms')}
    class="panel stack"
    id="term-form"
    aria-labelledby="term-head"
  >
    <h3 id="term-head">{was ? 'Change a term' : 'Add a term'}</h3>
    {was && <input type="hidden" name="was" value={was.term} />}
    <input type="hidden" name="seen" value={markOf(was?.meaning)} />
    <Field
      draft={fresh}
      name="term"
      label="Term"
      stored={typed?.term ?? was?.term}
      maxlength={MAX_TERM_CHARS}
      required
      dir="auto"
    />
    <Area
      draft={fresh}
      name="meaning"
      label="What it means here"
      stored={typed?.meaning ?? was?.meaning}
      maxlength={MAX_TEXT_CHARS}
      rows={2}
      required
      dir="auto"
    />
    <div class="row">
      <Submit name="do" value="save" text={was ? 'Save the term' : 'Add the term'} />
      {was && (
        <>
          <Submit kind="plain" name="do" value="remove" formnovalidate text="Remove the term" />
          <a class="small" href={`${hrefOf(place, { term: undefined })}#terms`}>
            Cancel
          </a>
        </>
      )}
    </div>
  </Form>
)
