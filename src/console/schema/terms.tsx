import { Form } from '../parts/form.tsx'
import type { Visit } from '../visit.ts'
import { MAX_TEXT_CHARS, markOf } from './changes.ts'
import { hrefOf, type Place, queryOf } from './place.ts'
import { counted, cut } from './shown.ts'

/** Terms in one page, and characters of a meaning there. */
const PAGE_TERMS = 25
const SHOWN_CHARS = 160

/** The longest term that the API takes. */
export const MAX_TERM_CHARS = 80

/** A term that was typed and not saved. */
export interface TypedTerm {
  readonly term: string
  readonly meaning: string
}

/** The terms of an endpoint, and a form for one of them. */
export const Terms = ({
  visit,
  place,
  terms,
  writable,
  typed,
}: {
  readonly visit: Visit
  readonly place: Place
  readonly terms: Readonly<Record<string, string>>
  readonly writable: boolean
  readonly typed?: TypedTerm | undefined
}) => {
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
          Words of the people who ask, and what they mean here: “revenue”, “active customer”. The
          model reads them before its first call.
        </p>
      ) : (
        <table role="table" class="bare fold">
          <caption class="hidden">Terms and what they mean here</caption>
          <thead role="rowgroup">
            <tr role="row">
              <th role="columnheader" scope="col">
                Term
              </th>
              <th role="columnheader" scope="col">
                Means
              </th>
              {writable && (
                <th role="columnheader" scope="col">
                  <span class="hidden">Change</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {shown.map(([term, meaning], i) => (
              <tr role="row">
                <th role="rowheader" scope="row" dir="auto" id={`t${i}`}>
                  {term}
                </th>
                <td role="cell" class="whole" dir="auto">
                  {cut(meaning, SHOWN_CHARS)}
                </td>
                {writable && (
                  <td role="cell" class="small right">
                    <a
                      id={`change${i}`}
                      aria-labelledby={`change${i} t${i}`}
                      href={`${hrefOf(place, { term })}#term-form`}
                    >
                      Change
                    </a>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {all.length > PAGE_TERMS && (
        <p class="row small dim">
          <span>
            {from + 1} to {from + shown.length} of {all.length}
          </span>
          {from > 0 && (
            <a href={`${hrefOf(place, { terms: Math.max(0, from - PAGE_TERMS) })}#terms`}>
              Terms before
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

/** The characters of the terms that stand in the instructions. */
const MAX_INSTRUCTION_CHARS = 1_000

function costOf(all: readonly (readonly [string, string])[]): string {
  if (all.length === 0) return ''
  const chars = all.reduce((sum, [term, meaning]) => sum + term.length + meaning.length + 4, 0)
  const tokens = Math.ceil(Math.min(chars, MAX_INSTRUCTION_CHARS) / 4)
  const rest =
    chars > MAX_INSTRUCTION_CHARS ? '; those that do not fit are found by list_tables' : ''
  return `${counted(all.length, 'term')}, about ${counted(tokens, 'token')} of each conversation${rest}`
}

const TermForm = ({
  visit,
  place,
  was,
  typed,
}: {
  readonly visit: Visit
  readonly place: Place
  readonly was: TypedTerm | undefined
  readonly typed: TypedTerm | undefined
}) => (
  <Form
    visit={visit}
    action={`/console/endpoints/${place.endpoint}/schema/terms${queryOf(place)}`}
    class="panel stack"
    id="term-form"
    aria-labelledby="term-head"
  >
    <h3 id="term-head">{was ? 'Change a term' : 'Add a term'}</h3>
    {was && <input type="hidden" name="was" value={was.term} />}
    <input type="hidden" name="seen" value={markOf(was?.meaning)} />
    <div class="field">
      <label for="term">Term</label>
      <input
        id="term"
        name="term"
        value={typed?.term ?? was?.term ?? ''}
        maxlength={MAX_TERM_CHARS}
        required
        dir="auto"
      />
    </div>
    <div class="field">
      <label for="meaning">What it means here</label>
      <textarea id="meaning" name="meaning" maxlength={MAX_TEXT_CHARS} rows={2} required dir="auto">
        {`\n${typed?.meaning ?? was?.meaning ?? ''}`}
      </textarea>
    </div>
    <div class="row">
      <button class="button" type="submit" name="do" value="save">
        {was ? 'Save the term' : 'Add the term'}
      </button>
      {was && (
        <>
          <button class="button plain" type="submit" name="do" value="remove" formnovalidate>
            Remove the term
          </button>
          <a class="small" href={`${hrefOf(place, { term: undefined })}#terms`}>
            Leave it
          </a>
        </>
      )}
    </div>
  </Form>
)
