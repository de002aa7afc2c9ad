import type { FC } from 'hono/jsx'
import { FormDraft } from '../parts/draft.ts'
import { Choice, Field } from '../parts/field.tsx'
import { Submit } from '../parts/form.tsx'
import { cut } from '../parts/texts.ts'
import { type CallFilter, type CallScope, OUTCOMES, PERIODS } from './call-filter.ts'
import { whoOf } from './calls.tsx'

/** Maximum number of options in a list, and maximum length of each. */
const MAX_OPTIONS = 50
const MAX_OPTION_CHARS = 100

/** Filter form. It works without JavaScript. */
export const Filters: FC<{
  readonly place: CallScope
  readonly filter: CallFilter
  readonly endpoints: readonly string[]
  readonly callers: readonly string[]
  readonly labels: ReadonlyMap<string, string>
  readonly tools: readonly string[]
  readonly apps: readonly string[]
}> = ({ place, filter, endpoints, callers, labels, tools, apps }) => {
  const draft = new FormDraft(new URLSearchParams({ ...filter }))
  const people = callers.filter((it) => it.length <= MAX_OPTION_CHARS).slice(0, MAX_OPTIONS)
  const choice = (name: keyof CallFilter, label: string, options: readonly FilterOption[]) => {
    const chosen = filter[name]
    const isKnown = options.some(([value]) => value === chosen)
    const all = isKnown ? options : [...options, [chosen, cut(chosen, 40)] as const]
    return <Choice draft={draft} name={name} label={label} options={all} />
  }
  const typed = (name: keyof CallFilter, label: string, known: readonly string[]) => (
    <Field
      draft={draft}
      name={name}
      label={label}
      known={known.slice(0, MAX_OPTIONS)}
      maxlength={100}
    />
  )
  return (
    <search>
      <form class="filters" action={place.path}>
        <Field draft={draft} name="text" label="Statement contains" type="search" maxlength={200} />
        {place.endpoint === undefined &&
          (endpoints.length > MAX_OPTIONS
            ? typed('endpoint', 'Endpoint', endpoints)
            : choice('endpoint', 'Endpoint', [['', 'all'], ...endpoints.map(asOption)]))}
        {choice('caller', 'Person or key', [
          ['', 'all'],
          ...people.map((it) => [it, cut(whoOf(it, labels), 40)] as const),
        ])}
        {typed('tool', 'Tool', tools)}
        {typed('client', 'App', apps)}
        {choice('outcome', 'Outcome', [['', 'any'], ...Object.entries(OUTCOMES)])}
        {choice(
          'time',
          'Time',
          Object.entries(PERIODS).map(([name, { text }]) => [name, text]),
        )}
        <Submit text="Show" />
      </form>
    </search>
  )
}

type FilterOption = readonly [value: string, text: string]

const asOption = (name: string): FilterOption => [name, name]
