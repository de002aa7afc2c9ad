import { Form } from '../parts/form.tsx'
import type { Visit } from '../visit.ts'
import { FIELD, type Filled, type Kind, kindOf } from './arguments.ts'
import { fit } from './fit.ts'
import type { ListedTool, Schema } from './tools.ts'

/** The arguments of a tool as a form. What is sent is run, and nothing else. */
export const ArgumentForm = ({
  visit,
  action,
  tool,
  filled,
  mends,
  explains,
}: {
  readonly visit: Visit
  readonly action: string
  readonly tool: ListedTool
  readonly filled: Filled
  /** The verified question that is mended here. */
  readonly mends?: string | undefined
  /** Whether the plan of the statement may be asked for. */
  readonly explains: boolean
}) => {
  const properties = Object.entries(tool.inputSchema.properties ?? {})
  return (
    <Form visit={visit} action={`${action}#answer`} class="stack">
      <input type="hidden" name="tool" value={tool.name} />
      {mends !== undefined && <input type="hidden" name="mends" value={mends} />}
      {filled.note && (
        <div class="note low" role="status">
          <p dir="auto">{filled.note}</p>
        </div>
      )}
      {properties.length === 0 && <p class="small dim">It takes no arguments.</p>}
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
        <button class="button main" type="submit">
          Run
        </button>
        {explains && (
          <button class="button" type="submit" name="explain" value="1">
            Explain
          </button>
        )}
        <span class="small dim">As the operator sees it. It is recorded as any other call.</span>
      </div>
    </Form>
  )
}

interface ArgumentProps {
  readonly name: string
  readonly schema: Schema
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
          {isNeeded ? ', needed' : ''}
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
        <span class="small wrong" id={`${id}-fault`}>
          {name} {fault}
        </span>
      )}
    </div>
  )
}

/** The schema of an argument that is more than a list of texts, as the model reads it. */
const Shape = ({ name, schema }: Pick<ArgumentProps, 'name' | 'schema'>) =>
  schema.items?.type === 'string' ? null : (
    <details class="small">
      <summary>What {name} may be</summary>
      <pre class="mono">{fit(JSON.stringify(schema, null, 1), MAX_SHAPE_BYTES).shown}</pre>
    </details>
  )

const MAX_SHAPE_BYTES = 3_000

interface ControlProps extends Pick<ArgumentProps, 'schema' | 'isNeeded' | 'text'> {
  readonly kind: Kind
  readonly common: Readonly<Record<string, string | undefined>>
}

const Control = ({ kind, schema, isNeeded, text, common }: ControlProps) => {
  const given = text ?? defaultOf(schema, kind)
  if (kind === 'choice' || kind === 'boolean') {
    const values = kind === 'boolean' ? [true, false] : (schema.enum ?? []).slice(0, MAX_CHOICES)
    return (
      <select {...common}>
        {(!isNeeded || given === undefined) && <option value="">as it is left out</option>}
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

/** What is typed letter by letter. */
const EXACT: Readonly<Record<string, string>> = {
  class: 'mono',
  spellcheck: 'false',
  autocomplete: 'off',
}

/** A page is never large: the rest of a long list of values can be tried in an app. */
const MAX_CHOICES = 200

function defaultOf({ default: value }: Schema, kind: Kind): string | undefined {
  if (value === undefined) return undefined
  return typeof value === 'string' && kind !== 'choice' && kind !== 'json'
    ? value
    : JSON.stringify(value)
}

function wordsOf(kind: Kind, { type, items, minimum, maximum }: Schema): string {
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
