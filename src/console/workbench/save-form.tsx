import type { FC } from 'hono/jsx'
import { FormDraft } from '../parts/draft.ts'
import { Choice, Field } from '../parts/field.tsx'
import { Form, Submit } from '../parts/form.tsx'
import { Note } from '../parts/note.tsx'
import { cut } from '../parts/texts.ts'
import type { ConsoleVisit } from '../visit.ts'
import type { QuestionDraft, VerifiedQuestionFault } from './questions.ts'
import { estimatedTokens } from './tools.ts'

/** Form in which a person vouches for a statement: question, name, and kind. */
export const SaveForm: FC<{
  readonly visit: ConsoleVisit
  readonly action: string
  readonly draft: QuestionDraft
  readonly fault?: VerifiedQuestionFault | undefined
}> = ({ visit, action, draft, fault }) => {
  const { question, name, as, sql, params, database, fixes } = draft
  const form = new FormDraft(undefined, fault)
  return (
    <Form visit={visit} action={`${action}#save`} class="panel flush" aria-labelledby="save">
      <header>
        <h2 id="save">{fixes ? `Fix the verified question ${fixes}` : 'Verify this question'}</h2>
      </header>
      <div class="in stack">
        <p class="dim">
          You vouch that this statement answers the question. The model then uses it instead of
          writing its own. If you change the statement above, run it first: the statement that ran
          is saved.
        </p>
        <pre class="code" dir="auto">
          {cut(sql, MAX_SHOWN)}
        </pre>
        <input type="hidden" name="sql" value={sql} />
        <input type="hidden" name="params" value={params} />
        <input type="hidden" name="database" value={database} />
        <input type="hidden" name="fixes" value={fixes} />
        {fault?.field === 'sql' && (
          <Note kind="bad" role="alert">
            {fault.message}
          </Note>
        )}
        <Field
          draft={form}
          name="question"
          label="The question, as people ask it"
          stored={question}
          maxlength={300}
          dir="auto"
        />
        <div class="halves">
          <Field
            draft={form}
            name="name"
            label="Name"
            stored={name}
            maxlength={30}
            placeholder="from the question"
            mono
          />
          <Choice
            draft={form}
            name="as"
            label="Serve it as"
            stored={as || 'tool'}
            options={[
              ['tool', `its own tool, about ${toolTokens(draft)} tokens`],
              ['example', `an example in query, about ${exampleTokens(draft)} tokens`],
            ]}
          />
        </div>
      </div>
      <footer>
        <Submit text="Save" />
        <span class="dim">
          Signed by <span dir="auto">{visit.operator}</span>, today. It is not served if its columns
          go missing.
        </span>
      </footer>
    </Form>
  )
}

/** Maximum length of the statement to show. */
const MAX_SHOWN = 2_000

/** Number of characters in a question's tool apart from its name and question: schemas, hints, author and date. */
const AROUND_TOOL = 420

/** Typical length of a question, before it is written. */
const TYPICAL = 40

const toolTokens = ({ question, name }: QuestionDraft) =>
  estimatedTokens(' '.repeat(AROUND_TOOL + 2 * (question.length || TYPICAL) + name.length))

const exampleTokens = ({ question, sql, params }: QuestionDraft) =>
  estimatedTokens(' '.repeat((question.length || TYPICAL) + sql.length + params.length))
