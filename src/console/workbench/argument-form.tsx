import type { FC } from 'hono/jsx'
import { Form, Submit } from '../parts/form.tsx'
import { Note } from '../parts/note.tsx'
import { fit } from '../parts/page-size.ts'
import type { ConsoleVisit } from '../visit.ts'
import { type ArgumentKind, FIELD, type FormValues, kindOf } from './arguments.ts'
import type { ArgumentSchema, ListedTool } from './tools.ts'

/** Form for a tool's arguments. It runs exactly what was submitted. */
export const ArgumentForm: FC<{
  readonly visit: ConsoleVisit
  readonly action: string
  readonly tool: ListedTool
  readonly filled: FormValues
  /** Name of the verified question to fix. */
  readonly fixes?: string | undefined
  /** True if the form has a button for the statement's plan. */
  readonly explains: boolean
}> = ({ visit, action, tool, filled, fixes, explains }) => {
  const properties = Object.entries(tool.inputSchema.properties ?? {})
  return (
    <Form visit={visit} action={`${action}#answer`} class="stack">
      <input type="hidden" name="tool" value={tool.name} />
      {fixes !== undefined && <input type="hidden" name="fixes" value={fixes} />}
      {filled.note && (
        <Note kind="low" role="status">
          {filled.note}
        </Note>
      )}
      {properties.length === 0 && <p class="small dim">This tool has no arguments.</p>}
      {properties.map(([name, schema]) => (
        <Argument
          name={name}
          schema={schema}
          isNeeded={tool.inputSchema.required?.includes(name) ?? false}
          text={filled.texts.get(name)}
          fault={filled.faults.get(name)}
        />
      ))}
      <div class="row">
        <Submit kind="main" text="Run" />
        {explains && <Submit name="explain" value="1" text="Explain" />}
        <span class="small dim">Runs with operator access. The call is logged like any other.</span>
      </div>
    </Form>
  )
}

interface ArgumentProps {
  readonly name: string
  readonly schema: ArgumentSchema
  readonly isNeeded: boolean
  readonly text: string | undefined
  readonly fault: string | undefined
}

const Argument = ({ name, schema, isNeeded, text, fault }: ArgumentProps) => {
  const id = `argument-${name}`
  const described = [
    schema.description !== undefined && `${id}-says`,
    fault !== undefined && `${id}-fault`,
  ].filter(Boolean)
  const common = {
    id,
    name: FIELD + name,
    'aria-describedby': described.length > 0 ? described.join(' ') : undefined,
    'aria-invalid': fault === undefined ? undefined : ('true' as const),
  }
  const kind = kindOf(name, schema)
  return (
    <div class="field">
      <label for={id} dir="auto">
        {name}{' '}
        <span class="dim">
          · {wordsOf(kind, schema)}
          {isNeeded ? ', required' : ''}
        </span>
      </label>
      <Control kind={kind} schema={schema} isNeeded={isNeeded} text={text} common={common} />
      {schema.description !== undefined && (
        <span class="small" id={`${id}-says`} dir="auto">
          {schema.description.slice(0, 300)}
        </span>
      )}
      {kind === 'json' && <Shape name={name} schema={schema} />}
      {fault !== undefined && (
        <span class="small bad" id={`${id}-fault`}>
          {name} {fault}
        </span>
      )}
    </div>
  )
}

/** Schema of an argument for the model, unless it is just a list of strings. */
const Shape = ({ name, schema }: Pick<ArgumentProps, 'name' | 'schema'>) =>
  schema.items?.type === 'string' ? null : (
    <details class="small">
      <summary>Schema of {name}</summary>
      <pre class="mono">{fit(JSON.stringify(schema, null, 1), MAX_SHAPE_BYTES).shown}</pre>
    </details>
  )

const MAX_SHAPE_BYTES = 3_000

interface ControlProps extends Pick<ArgumentProps, 'schema' | 'isNeeded' | 'text'> {
  readonly kind: ArgumentKind
  readonly common: Readonly<Record<string, string | undefined>>
}

const Control = ({ kind, schema, isNeeded, text, common }: ControlProps) => {
  const given = text ?? defaultOf(schema, kind)
  if (kind === 'choice' || kind === 'boolean') {
    const values = kind === 'boolean' ? [true, false] : (schema.enum ?? []).slice(0, MAX_CHOICES)
    return (
      <select {...common}>
        {(!isNeeded || given === undefined) && <option value="">default</option>}
        {values.map((it) => (
          <option value={JSON.stringify(it)} selected={JSON.stringify(it) === given}>
            {typeof it === 'string' ? it.slice(0, 80) : JSON.stringify(it)}
          </option>
        ))}
      </select>
    )
  }
  if (kind === 'long' || (kind === 'json' && (text?.length ?? 0) > 60)) {
    return (
      <textarea {...common} {...EXACT} required={isNeeded} dir="auto">
        {given}
      </textarea>
    )
  }
  if (kind === 'number') {
    return (
      <input
        {...common}
        class="mono"
        type="number"
        step={schema.type === 'integer' ? 1 : 'any'}
        min={schema.minimum}
        max={schema.maximum}
        required={isNeeded}
        value={given}
      />
    )
  }
  const pattern = kind === 'text' ? schema.pattern : undefined
  return (
    <input
      {...common}
      {...EXACT}
      dir="auto"
      required={isNeeded}
      maxlength={kind === 'text' ? schema.maxLength : undefined}
      pattern={pattern}
      value={given}
    />
  )
}

/** Attributes of inputs for exact text. */
const EXACT: Readonly<Record<string, string>> = {
  class: 'mono',
  spellcheck: 'false',
  autocomplete: 'off',
}

/** Maximum number of choices, so that a page stays small. Other values work in an app. */
const MAX_CHOICES = 200

function defaultOf({ default: value }: ArgumentSchema, kind: ArgumentKind): string | undefined {
  if (value === undefined) return undefined
  return typeof value === 'string' && kind !== 'choice' && kind !== 'json'
    ? value
    : JSON.stringify(value)
}

function wordsOf(kind: ArgumentKind, { type, items, minimum, maximum }: ArgumentSchema): string {
  const range = [
    minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER && `from ${minimum}`,
    maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && `to ${maximum}`,
  ].filter(Boolean)
  if (kind === 'number') return [type === 'integer' ? 'whole number' : 'number', ...range].join(' ')
  if (kind !== 'json')
    return { choice: 'one of these', boolean: 'yes or no', text: 'text', long: 'text' }[kind]
  if (type !== 'array') return 'JSON'
  return items?.type === 'object' ? 'list of objects, as JSON' : 'list, such as ["a", "b"]'
}
