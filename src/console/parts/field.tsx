import type { Child } from 'hono/jsx'
import type { Draft } from './draft.ts'

interface Named {
  readonly draft: Draft
  /** The path of the field in the API: what it says of this path stands here. */
  readonly name: string
  readonly label: string
  readonly hint?: Child
}

/** A line of text, or a number, or a day. */
export const Field = ({
  draft,
  name,
  label,
  hint,
  stored,
  type = 'text',
  mono = false,
  ...rest
}: Named & {
  readonly stored?: unknown
  readonly type?: 'text' | 'number' | 'date' | 'search'
  readonly mono?: boolean
  readonly required?: boolean
  readonly placeholder?: string
  readonly maxlength?: number
  readonly min?: number
  readonly max?: number
}) => (
  <div class="field">
    <label for={idOf(name)}>{label}</label>
    <input
      id={idOf(name)}
      name={name}
      type={type}
      value={draft.text(name, stored)}
      class={mono ? 'mono' : undefined}
      autocomplete="off"
      {...described(draft, name, hint)}
      {...rest}
    />
    <About draft={draft} name={name} hint={hint} />
  </div>
)

/** A text of several lines. One that is `secret` is never shown again. */
export const Area = ({
  draft,
  name,
  label,
  hint,
  stored,
  secret = false,
  mono = false,
  ...rest
}: Named & {
  readonly stored?: unknown
  readonly secret?: boolean
  readonly mono?: boolean
  readonly rows?: number
  readonly required?: boolean
  readonly placeholder?: string
  readonly maxlength?: number
}) => (
  <div class="field">
    <label for={idOf(name)}>{label}</label>
    <textarea
      id={idOf(name)}
      name={name}
      class={mono ? 'mono' : undefined}
      autocomplete="off"
      spellcheck={false}
      {...described(draft, name, hint)}
      {...rest}
    >
      {secret ? '' : draft.text(name, stored)}
    </textarea>
    <About draft={draft} name={name} hint={hint} />
  </div>
)

/** One of a few values. */
export const Choice = ({
  draft,
  name,
  label,
  hint,
  stored,
  options,
}: Named & {
  readonly stored?: unknown
  readonly options: readonly (readonly [value: string, text: string])[]
}) => {
  const chosen = draft.text(name, stored)
  return (
    <div class="field">
      <label for={idOf(name)}>{label}</label>
      <select id={idOf(name)} name={name} {...described(draft, name, hint)}>
        {options.map(([value, text]) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
      <About draft={draft} name={name} hint={hint} />
    </div>
  )
}

/** A tick, or one choice of several. */
export const Tick = ({
  draft,
  name,
  value = 'yes',
  type = 'checkbox',
  stored,
  children,
}: {
  readonly draft: Draft
  readonly name: string
  readonly value?: string
  readonly type?: 'checkbox' | 'radio'
  readonly stored: boolean
  readonly children: Child
}) => (
  <label class="tick">
    <input type={type} name={name} value={value} checked={draft.isTicked(name, value, stored)} />
    <span>{children}</span>
  </label>
)

/** Several ticks about one thing. */
export const Ticks = ({
  draft,
  name,
  legend,
  hint,
  children,
}: {
  readonly draft: Draft
  readonly name: string
  readonly legend: string
  readonly hint?: Child
  readonly children: Child
}) => (
  <fieldset class="field" id={idOf(name)} {...described(draft, name, hint)}>
    <legend class="legend">{legend}</legend>
    {children}
    <About draft={draft} name={name} hint={hint} />
  </fieldset>
)

/** What was wrong with a form, above it. */
export const Problem = ({ draft }: { readonly draft: Draft }) =>
  draft.refused ? (
    <div class="note bad" role="alert">
      <p>
        Nothing was saved. <span dir="auto">{draft.refused.message}</span>
      </p>
    </div>
  ) : null

const About = ({ draft, name, hint }: Omit<Named, 'label'>) => {
  const problem = draft.problemOf(name)
  return (
    <>
      {hint && (
        <span class="small" id={`${idOf(name)}-hint`}>
          {hint}
        </span>
      )}
      {problem && (
        <span class="small bad" id={`${idOf(name)}-problem`} dir="auto">
          {problem}
        </span>
      )}
    </>
  )
}

function described(draft: Draft, name: string, hint: Child | undefined) {
  const problem = draft.problemOf(name)
  const ids = [
    ...(hint ? [`${idOf(name)}-hint`] : []),
    ...(problem ? [`${idOf(name)}-problem`] : []),
  ]
  return {
    ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }),
    ...(problem && { 'aria-invalid': 'true' as const }),
  }
}

const idOf = (name: string) => `f-${name.replaceAll(/[^A-Za-z0-9_-]+/g, '-')}`
