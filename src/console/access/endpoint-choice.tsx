import type { Draft } from '../parts/draft.ts'
import { Field, Tick, Ticks } from '../parts/field.tsx'

/** How many endpoints are ticked one by one. More of them are named in a line. */
const MAX_TICKS = 40

/** Names of endpoints that are shown of a key. */
const MAX_NAMED = 5

/** A page of endpoints, as the API lists them. */
export interface KnownEndpoints {
  readonly endpoints: readonly { readonly name: string; readonly title: string }[]
  readonly total: number
}

/** Which endpoints a key opens. */
export const EndpointChoice = ({
  draft,
  endpoints: { endpoints, total },
  stored,
}: {
  readonly draft: Draft
  readonly endpoints: KnownEndpoints
  readonly stored: readonly string[]
}) => {
  const isAll = stored.includes('*')
  const listed = total <= MAX_TICKS ? endpoints : []
  const names = listed.map(({ name }) => name)
  const others = stored.filter((it) => it !== '*' && !names.includes(it))
  return (
    <Ticks draft={draft} name="endpoints" legend="Endpoints that it opens">
      <Tick draft={draft} name="which" value="all" type="radio" stored={isAll}>
        All, also those that come later
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
            label={listed.length === 0 ? 'Their names' : 'And these'}
            stored={others.join(' ')}
            hint="Names with spaces between them."
            mono
          />
        )}
      </div>
    </Ticks>
  )
}

/** The endpoints that a form names. */
export function endpointsIn(fields: URLSearchParams): readonly string[] {
  if (fields.get('which') === 'all') return ['*']
  const others = (fields.get('others') ?? '').split(/[\s,]+/).filter(Boolean)
  return [...new Set([...fields.getAll('endpoint'), ...others])]
}

/** Endpoints of a key, in words. */
export function namesOfEndpoints(names: readonly string[]): string {
  if (names.includes('*')) return 'all endpoints'
  if (names.length === 0) return 'nothing any more'
  const more = names.length - MAX_NAMED
  return `${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? `, and ${more} more` : ''}`
}
