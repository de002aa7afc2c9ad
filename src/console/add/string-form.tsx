import type { FC } from 'hono/jsx'
import type { FormDraft } from '../parts/draft.ts'
import { Area, Choice, Field, Problem } from '../parts/field.tsx'
import { Fix, type ShownFix } from '../parts/fix.tsx'
import { Form, Submit } from '../parts/form.tsx'
import type { ConsoleVisit } from '../visit.ts'

/** Maximum length of pasted text. A connection string has up to 4,000 characters, but people also paste .env files. */
const MAX_CHARS = 100_000

/** Input for a connection string. It never shows an earlier one. */
export const StringArea = ({ draft }: { readonly draft: FormDraft }) => (
  <Area
    draft={draft}
    name="text"
    label="Connection string"
    secret
    mono
    required
    rows={4}
    maxlength={MAX_CHARS}
    hint="A URL, a JDBC or .NET string, a command that connects, or a line from an .env file. It is encrypted before it is stored, and never shown again."
  />
)

const BINDINGS = [
  ['d1', 'A D1 binding'],
  ['hyperdrive', 'A Hyperdrive binding'],
] as const

/** Form for the first step: paste a connection string or name a binding. */
export const StringForm: FC<{
  readonly visit: ConsoleVisit
  readonly draft: FormDraft
  /** Fix for a string that cannot be used. */
  readonly fix?: ShownFix | undefined
}> = ({ visit, draft, fix }) => {
  const isOther = draft.typed?.has('way') === true
  return (
    <>
      {fix ? <Fix id="fix" fix={fix} /> : <Problem draft={draft} />}
      <Form visit={visit} action="/console/add" class="stack">
        <StringArea draft={draft} />
        <Names draft={draft} />
        <div class="row">
          <Submit kind="main" text="Continue to test" />
        </div>
      </Form>
      <details open={isOther}>
        <summary>
          {visit.isWorker
            ? 'Other options: D1, Hyperdrive, a Worker secret'
            : 'Another option: a variable'}
        </summary>
        <Form visit={visit} action="/console/add/reference" class="stack">
          <p class="dim">
            {visit.isWorker ? (
              <>
                The Worker’s bindings and secrets, set in <code>wrangler.toml</code> or with{' '}
                <code>npx wrangler secret put</code>. They already contain the password.
              </>
            ) : (
              <>
                A variable in the environment, or in the file that <code>--vars</code> names. It
                already contains the password.
              </>
            )}
          </p>
          <Choice
            draft={draft}
            name="way"
            label="Type"
            options={[
              ...(visit.isWorker ? BINDINGS : []),
              ['secret', `A ${visit.isWorker ? 'secret' : 'variable'} with a connection string`],
            ]}
          />
          <Field
            draft={draft}
            name="reference"
            label={visit.isWorker ? 'Name of the binding or secret' : 'Name of the variable'}
            mono
            required
            maxlength={100}
            placeholder="DB"
          />
          <div class="row">
            <Submit text="Test it" />
          </div>
        </Form>
      </details>
    </>
  )
}

/** Inputs for the name and title of the endpoint. */
const Names = ({ draft }: { readonly draft: FormDraft }) => (
  <details open={draft.problemOf('name') !== undefined || draft.problemOf('title') !== undefined}>
    <summary>Name and title</summary>
    <div class="stack">
      <p class="small dim">If empty, they come from the connection string.</p>
      <Field
        draft={draft}
        name="name"
        label="Name in the URL"
        mono
        maxlength={31}
        placeholder="shop"
      />
      <Field
        draft={draft}
        name="title"
        label="Title for people"
        maxlength={80}
        placeholder="Web shop"
      />
    </div>
  </details>
)
