import type { Child } from 'hono/jsx'
import { type Asked, OUTCOMES, PERIODS, type Place } from './asked.ts'
import { short, whoOf } from './calls.tsx'

/** Options of a list, and characters of each. */
const MAX_OPTIONS = 50
const MAX_OPTION_CHARS = 100

/** What may be asked for: a form that works without script. */
export const Filters = ({
  place,
  asked,
  endpoints,
  callers,
  labels,
  tools,
  apps,
}: {
  readonly place: Place
  readonly asked: Asked
  readonly endpoints: readonly string[]
  readonly callers: readonly string[]
  readonly labels: ReadonlyMap<string, string>
  readonly tools: readonly string[]
  readonly apps: readonly string[]
}) => (
  <search>
    <form class="filters many" action={place.path}>
      <Field id="f-text" label="Statement has">
        <input id="f-text" name="text" type="search" value={asked.text} maxlength={200} />
      </Field>
      {place.endpoint === undefined && endpoints.length > MAX_OPTIONS && (
        <Typed
          {...{ name: 'endpoint', label: 'Endpoint', value: asked.endpoint, known: endpoints }}
        />
      )}
      {place.endpoint === undefined && endpoints.length <= MAX_OPTIONS && (
        <Choice
          {...{ name: 'endpoint', label: 'Endpoint', all: 'all', chosen: asked.endpoint }}
          options={endpoints.map((it) => [it, it])}
        />
      )}
      <Choice
        {...{ name: 'caller', label: 'Person or key', all: 'everybody', chosen: asked.caller }}
        options={callers
          .filter((it) => it.length <= MAX_OPTION_CHARS)
          .slice(0, MAX_OPTIONS)
          .map((it) => [it, short(whoOf(it, labels), 40)])}
      />
      <Typed {...{ name: 'tool', label: 'Tool', value: asked.tool, known: tools }} />
      <Typed {...{ name: 'client', label: 'App', value: asked.client, known: apps }} />
      <Choice
        {...{ name: 'outcome', label: 'Outcome', all: 'any', chosen: asked.outcome }}
        options={Object.entries(OUTCOMES)}
      />
      <Choice
        {...{ name: 'time', label: 'Time', chosen: asked.time }}
        options={Object.entries(PERIODS).map(([name, { text }]) => [name, text])}
      />
      <button class="button" type="submit">
        Show
      </button>
    </form>
  </search>
)

const Field = ({
  id,
  label,
  children,
}: {
  readonly id: string
  readonly label: string
  readonly children: Child
}) => (
  <div class="field">
    <label for={id}>{label}</label>
    {children}
  </div>
)

const Choice = ({
  name,
  label,
  all,
  chosen,
  options,
}: {
  readonly name: string
  readonly label: string
  /** The choice of everything. */
  readonly all?: string
  readonly chosen: string
  readonly options: readonly (readonly [value: string, text: string])[]
}) => {
  const isKnown = chosen === '' || options.some(([value]) => value === chosen)
  const shown = isKnown ? options : [...options, [chosen, short(chosen, 40)] as const]
  return (
    <Field id={`f-${name}`} label={label}>
      <select id={`f-${name}`} name={name}>
        {all !== undefined && <option value="">{all}</option>}
        {shown.map(([value, text]) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  )
}

const Typed = ({
  name,
  label,
  value,
  known,
}: {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly known: readonly string[]
}) => (
  <Field id={`f-${name}`} label={label}>
    <input id={`f-${name}`} name={name} value={value} list={`known-${name}`} maxlength={100} />
    <datalist id={`known-${name}`}>
      {known.slice(0, MAX_OPTIONS).map((it) => (
        <option value={it} />
      ))}
    </datalist>
  </Field>
)
