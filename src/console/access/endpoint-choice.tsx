import type { FC } from 'hono/jsx'
import type { FormDraft } from '../parts/draft.ts'
import { Field, Tick, Ticks } from '../parts/field.tsx'
import type { Answers } from '../visit.ts'

/** Maximum number of endpoints with checkboxes. Beyond that, people type the names. */
const MAX_TICKS = 40

/** Maximum number of endpoint names shown for a key. */
const MAX_NAMED = 5

/** Choice of the endpoints that a key opens. */
export const EndpointChoice: FC<{
  readonly draft: FormDraft
  readonly endpoints: Answers['Endpoints']
  readonly stored: readonly string[]
}> = ({ draft, endpoints: { endpoints, total }, stored }) => {
  const isAll = stored.includes('*')
  const listed = total <= MAX_TICKS ? endpoints : []
  const names = listed.map(({ name }) => name)
  const others = stored.filter((it) => it !== '*' && !names.includes(it))
  return (
    <Ticks draft={draft} name="endpoints" legend="Endpoints the key opens">
      <Tick draft={draft} name="which" value="all" type="radio" stored={isAll}>
        All, including ones added later
      </Tick>
      <Tick draft={draft} name="which" value="some" type="radio" stored={!isAll}>
        These
      </Tick>
      <div class="within">
        {listed.map(({ name, title }) => (
          <Tick draft={draft} name="endpoint" value={name} stored={stored.includes(name)}>
            <code>{name}</code> <span dir="auto">{title}</span>
          </Tick>
        ))}
        {(listed.length === 0 || others.length > 0) && (
          <Field
            draft={draft}
            name="others"
            label={listed.length === 0 ? 'Endpoint names' : 'Other endpoints'}
            stored={others.join(' ')}
            hint="Names, separated by spaces."
            mono
          />
        )}
      </div>
    </Ticks>
  )
}

/** Endpoints chosen in a form. */
export function endpointsIn(fields: URLSearchParams): readonly string[] {
  if (fields.get('which') === 'all') return ['*']
  const others = (fields.get('others') ?? '').split(/[\s,]+/).filter(Boolean)
  return [...new Set([...fields.getAll('endpoint'), ...others])]
}

/** A key's endpoints, as text. */
export function namesOfEndpoints(names: readonly string[]): string {
  if (names.includes('*')) return 'all endpoints'
  if (names.length === 0) return 'nothing'
  const more = names.length - MAX_NAMED
  return `${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? `, and ${more} more` : ''}`
}
