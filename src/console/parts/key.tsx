import type { Child, FC } from 'hono/jsx'
import { type Answers, type ApiRefusal, ask, type ConsoleVisit } from '../visit.ts'
import type { FormDraft } from './draft.ts'
import { Area, Field } from './field.tsx'
import { Form } from './form.tsx'
import { textIn } from './texts.ts'

/** A key: what it opens, but not the key itself. */
export type ApiKey = Answers['Key']

/** Form for a key: a new key, or the fields of a stored key that can change. */
export const KeyForm: FC<{
  readonly visit: ConsoleVisit
  readonly action: string
  readonly draft: FormDraft
  readonly stored?: ApiKey
  /** True to ask only for the label and the person. */
  readonly isShort?: boolean
  /** Choice of the endpoints, or hidden fields. */
  readonly children?: Child
  readonly buttons: Child
}> = ({ visit, action, draft, stored, isShort = false, children, buttons }) => (
  <Form visit={visit} action={action} class={isShort ? 'stack' : 'stack far'}>
    {stored && <input type="hidden" name="was" value={stored.changedAt} />}
    <Field
      draft={draft}
      name="label"
      label="Label"
      stored={stored?.label}
      maxlength={80}
      required
      hint={!stored && 'For you to recognize it, such as: Ada, laptop.'}
    />
    {!stored && (
      <Field
        draft={draft}
        name="person"
        label="Person"
        maxlength={200}
        hint="The person who uses the key, such as ada@example.com. Databases, the call log and groups see this name. If empty, they see the key."
      />
    )}
    {!isShort && (
      <Field
        draft={draft}
        name="expiresAt"
        label="Expires at the end of"
        type="date"
        stored={stored?.expiresAt?.slice(0, 10)}
        hint="Leave empty for a key that never expires. Days are in UTC."
      />
    )}
    {children}
    {!stored && !isShort && (
      <details open={draft.problemOf('claims') !== undefined}>
        <summary>Claims, for row-level security and tool parameters</summary>
        <Area
          draft={draft}
          name="claims"
          label="Claims, as JSON"
          hint='Named strings, numbers and booleans: {"team": "north"}'
          mono
        />
      </details>
    )}
    <div class="row">{buttons}</div>
  </Form>
)

/** Creates the key from a submitted form. Only the response shows it. */
export async function createKey(
  visit: ConsoleVisit,
  endpoints: readonly string[],
): Promise<{ readonly made: Answers['NewKey'] } | { readonly refused: ApiRefusal }> {
  const text = (name: string) => textIn(visit.fields, name)
  let claims: unknown
  try {
    claims = text('claims') ? JSON.parse(text('claims')) : undefined
  } catch {
    const message = 'The claims are not JSON. Write them as {"team": "north"}.'
    return { refused: { field: 'claims', message } }
  }
  const made = await ask<Answers['NewKey']>(visit, 'POST', '/keys', {
    label: text('label'),
    endpoints,
    claims,
    ...(text('person') && { person: text('person') }),
    ...(text('expiresAt') && { expiresAt: endOf(text('expiresAt')) }),
  })
  return made.ok ? { made: made.body } : made
}

/** Last second of a day. */
export const endOf = (day: string): string => (day.includes('T') ? day : `${day}T23:59:59Z`)
