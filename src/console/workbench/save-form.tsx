import { Form } from '../parts/form.tsx'
import type { Visit } from '../visit.ts'
import { estimatedTokens } from './fit.ts'
import type { Draft, DraftFault, DraftField } from './questions.ts'

/** A person vouches for a statement: its question, a name, and how it is served. */
export const SaveForm = ({
  visit,
  action,
  draft,
  fault,
}: {
  readonly visit: Visit
  readonly action: string
  readonly draft: Draft
  readonly fault?: DraftFault | undefined
}) => {
  const { question, name, as, sql, params, database, mends } = draft
  const faultAt = (field: DraftField) => (fault?.field === field ? fault.message : undefined)
  return (
    <Form visit={visit} action={`${action}#save`} class="panel flush" aria-labelledby="save">
      <header>
        <h2 id="save">{mends ? `Mend the verified question ${mends}` : 'Verify this question'}</h2>
      </header>
      <div class="in stack">
        <p class="dim">
          You vouch that this statement answers the question. The model then takes it instead of
          writing one. If you change the statement above, run it first: what was run is saved.
        </p>
        <pre class="code" dir="auto">
          {sql.length > MAX_SHOWN ? `${sql.slice(0, MAX_SHOWN)}…` : sql}
        </pre>
        <input type="hidden" name="sql" value={sql} />
        <input type="hidden" name="params" value={params} />
        <input type="hidden" name="database" value={database} />
        <input type="hidden" name="mends" value={mends} />
        {faultAt('sql') && (
          <div class="note bad" role="alert">
            <p>{faultAt('sql')}</p>
          </div>
        )}
        <Field id="question" label="The question, as people ask it" fault={faultAt('question')}>
          <input
            id="question"
            name="question"
            maxlength={300}
            value={question}
            dir="auto"
            {...wrong('question', faultAt('question'))}
          />
        </Field>
        <div class="halves">
          <Field id="name" label="Name" fault={faultAt('name')}>
            <input
              id="name"
              name="name"
              class="mono"
              maxlength={30}
              autocomplete="off"
              placeholder="made of the question"
              value={name}
              {...wrong('name', faultAt('name'))}
            />
          </Field>
          <Field id="as" label="Serve it as" fault={faultAt('as')}>
            <select id="as" name="as" {...wrong('as', faultAt('as'))}>
              <option value="tool" selected={as !== 'example'}>
                a tool of its own, about {toolTokens(draft)} tokens
              </option>
              <option value="example" selected={as === 'example'}>
                an example in query, about {exampleTokens(draft)} tokens
              </option>
            </select>
          </Field>
        </div>
      </div>
      <footer>
        <button class="button" type="submit">
          Save
        </button>
        <span class="dim">
          Signed <span dir="auto">{visit.operator}</span>, today. It is not served while its columns
          are gone.
        </span>
      </footer>
    </Form>
  )
}

const Field = ({
  id,
  label,
  fault,
  children,
}: {
  readonly id: string
  readonly label: string
  readonly fault: string | undefined
  readonly children: unknown
}) => (
  <div class="field">
    <label for={id}>{label}</label>
    {children}
    {fault !== undefined && (
      <span class="small wrong" id={`${id}-fault`}>
        {fault}
      </span>
    )}
  </div>
)

const wrong = (id: string, fault: string | undefined) =>
  fault === undefined ? {} : { 'aria-invalid': 'true' as const, 'aria-describedby': `${id}-fault` }

/** Characters of the statement that is saved. */
const MAX_SHOWN = 2_000

/** What every tool of a question has besides its name and its question: schemas, hints, who and when. */
const AROUND_TOOL = 420

/** A question that is not yet written, in characters. */
const TYPICAL = 40

const toolTokens = ({ question, name }: Draft) =>
  estimatedTokens(' '.repeat(AROUND_TOOL + 2 * (question.length || TYPICAL) + name.length))

const exampleTokens = ({ question, sql, params }: Draft) =>
  estimatedTokens(' '.repeat((question.length || TYPICAL) + sql.length + params.length))
