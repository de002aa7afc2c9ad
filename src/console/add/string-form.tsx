import type { Draft } from '../parts/draft.ts'
import { Area, Choice, Field, Problem } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Mend, type ShownMend } from '../parts/mend.tsx'
import type { Visit } from '../visit.ts'

/** Characters of what is pasted. The longest connection string has 4,000, and an .env file has more lines. */
const MAX_CHARS = 100_000

/** Where a connection string is pasted. What was pasted before is never shown. */
export const StringArea = ({ draft }: { readonly draft: Draft }) => (
  <Area
    draft={draft}
    name="text"
    label="Connection string"
    secret
    mono
    required
    rows={4}
    maxlength={MAX_CHARS}
    hint="A URL, a JDBC or .NET string, a command of psql or mysql, or a line of an .env file. It is encrypted when stored, and never shown again."
  />
)

const BINDINGS = [
  ['d1', 'A D1 database, by its binding'],
  ['hyperdrive', 'Hyperdrive, by its binding'],
] as const

/** The first step: a connection string is pasted, or a binding is named. */
export const StringForm = ({
  visit,
  draft,
  mend,
}: {
  readonly visit: Visit
  readonly draft: Draft
  /** What to do about a string that cannot be used. */
  readonly mend?: ShownMend | undefined
}) => {
  const isOther = draft.typed?.has('way') === true
  return (
    <>
      {mend ? <Mend id="mend" mend={mend} /> : <Problem draft={draft} />}
      <Form visit={visit} action="/console/add" class="stack">
        <StringArea draft={draft} />
        <Names draft={draft} />
        <div class="row">
          <button class="button main" type="submit">
            Read and test it
          </button>
        </div>
      </Form>
      <details open={isOther}>
        <summary>
          {visit.isWorker
            ? 'Other ways: D1, Hyperdrive, a secret of the Worker'
            : 'Another way: a variable'}
        </summary>
        <Form visit={visit} action="/console/add/reference" class="stack">
          <p class="dim">
            {visit.isWorker ? (
              <>
                These are bindings or secrets of the Worker, which <code>wrangler.toml</code> or{' '}
                <code>npx wrangler secret put</code> gives it. They hold the password themselves.
              </>
            ) : (
              <>
                A variable of the environment, or of the file that <code>--vars</code> names. It
                holds the password itself.
              </>
            )}
          </p>
          <Choice
            draft={draft}
            name="way"
            label="What it is"
            options={[
              ...(visit.isWorker ? BINDINGS : []),
              [
                'secret',
                `A ${visit.isWorker ? 'secret' : 'variable'} that holds a connection string`,
              ],
            ]}
          />
          <Field
            draft={draft}
            name="reference"
            label={visit.isWorker ? 'Name of the binding or the secret' : 'Name of the variable'}
            mono
            required
            maxlength={100}
            placeholder="DB"
          />
          <div class="row">
            <button class="button" type="submit">
              Test it
            </button>
          </div>
        </Form>
      </details>
    </>
  )
}

/** What the endpoint is called. */
const Names = ({ draft }: { readonly draft: Draft }) => (
  <details open={draft.problemOf('name') !== undefined || draft.problemOf('title') !== undefined}>
    <summary>Name and title</summary>
    <div class="stack">
      <p class="small dim">Left empty, they are taken from the connection string.</p>
      <Field
        draft={draft}
        name="name"
        label="Name, in the URL"
        mono
        maxlength={31}
        placeholder="shop"
      />
      <Field
        draft={draft}
        name="title"
        label="Title, which people see"
        maxlength={80}
        placeholder="Web shop"
      />
    </div>
  </details>
)
