import type { Child, FC } from 'hono/jsx'
import type { FormDraft } from './draft.ts'
import { Note } from './note.tsx'

interface InputProps {
  readonly draft: FormDraft
  /** Path of the field in the API. Errors with this path appear here. */
  readonly name: string
  readonly label: string
  readonly hint?: Child
  readonly stored?: unknown
}

interface TextProps extends InputProps {
  readonly mono?: boolean
  readonly required?: boolean
  readonly placeholder?: string
  readonly maxlength?: number
  readonly dir?: 'auto'
}

/** Input for a line of text, a number or a date. */
export const Field: FC<
  TextProps & {
    readonly type?: 'text' | 'number' | 'date' | 'search'
    /** Values to suggest. */
    readonly known?: readonly string[]
  }
> = ({ draft, name, label, hint, stored, type = 'text', mono = false, known, ...rest }) => (
  <Labelled {...{ draft, name, label, hint }}>
    <input
      id={idOf(name)}
      name={name}
      type={type}
      value={draft.text(name, stored)}
      class={mono ? 'mono' : undefined}
      autocomplete={known ? undefined : 'off'}
      list={known && `known-${name}`}
      {...described(draft, name, hint)}
      {...rest}
    />
    {known && (
      <datalist id={`known-${name}`}>
        {known.map((it) => (
          <option value={it} />
        ))}
      </datalist>
    )}
  </Labelled>
)

/** Input for several lines of text. A `secret` value is never shown again. */
export const Area: FC<TextProps & { readonly secret?: boolean; readonly rows?: number }> = ({
  draft,
  name,
  label,
  hint,
  stored,
  secret = false,
  mono = false,
  ...rest
}) => (
  <Labelled {...{ draft, name, label, hint }}>
    <textarea
      id={idOf(name)}
      name={name}
      class={mono ? 'mono' : undefined}
      autocomplete="off"
      spellcheck={false}
      {...described(draft, name, hint)}
      {...rest}
    >
      {/* A browser drops the first line break. */}
      {secret ? '' : `\n${draft.text(name, stored)}`}
    </textarea>
  </Labelled>
)

/** Choice of one value from a list. */
export const Choice: FC<
  InputProps & { readonly options: readonly (readonly [value: string, text: string])[] }
> = ({ draft, name, label, hint, stored, options }) => {
  const chosen = draft.text(name, stored)
  return (
    <Labelled {...{ draft, name, label, hint }}>
      <select id={idOf(name)} name={name} {...described(draft, name, hint)}>
        {options.map(([value, text]) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  )
}

const Labelled: FC<InputProps & { readonly children: Child }> = ({ children, ...input }) => (
  <div class="field">
    <label for={idOf(input.name)}>{input.label}</label>
    {children}
    <About {...input} />
  </div>
)

/** A checkbox or radio button. */
export const Tick: FC<{
  readonly draft: FormDraft
  readonly name: string
  readonly value?: string
  readonly type?: 'checkbox' | 'radio'
  readonly stored: boolean
  readonly children: Child
}> = ({ draft, name, value = 'yes', type = 'checkbox', stored, children }) => (
  <label class="tick">
    <input type={type} name={name} value={value} checked={draft.isTicked(name, value, stored)} />
    <span>{children}</span>
  </label>
)

/** A group of checkboxes or radio buttons. */
export const Ticks: FC<
  Omit<InputProps, 'label' | 'stored'> & { readonly legend: string; readonly children: Child }
> = ({ draft, name, legend, hint, children }) => (
  <fieldset class="field" id={idOf(name)} {...described(draft, name, hint)}>
    <legend class="legend">{legend}</legend>
    {children}
    <About draft={draft} name={name} hint={hint} />
  </fieldset>
)

/** Error above a form. */
export const Problem: FC<{ readonly draft: FormDraft }> = ({ draft: { refused } }) =>
  refused ? (
    <Note kind="bad" role="alert">
      Nothing was saved. <bdi>{refused.message}</bdi>
    </Note>
  ) : null

const About: FC<Pick<InputProps, 'draft' | 'name' | 'hint'>> = ({ draft, name, hint }) => {
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

function described(draft: FormDraft, name: string, hint: Child | undefined) {
  const problem = draft.problemOf(name)
  const ids = [hint && `${idOf(name)}-hint`, problem && `${idOf(name)}-problem`].filter(Boolean)
  return {
    ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }),
    ...(problem && { 'aria-invalid': 'true' as const }),
  }
}

const idOf = (name: string) => `f-${name.replaceAll(/[^A-Za-z0-9_-]+/g, '-')}`
