/** Time ranges to choose from. A chart has about 45 buckets. */
export const PERIODS = {
  '3h': { text: 'last 3 hours', ms: 3 * 3_600_000, step: 240 },
  '24h': { text: 'last 24 hours', ms: 24 * 3_600_000, step: 1_800 },
  '7d': { text: 'last 7 days', ms: 7 * 86_400_000, step: 4 * 3_600 },
  '30d': { text: 'last 30 days', ms: 30 * 86_400_000, step: 16 * 3_600 },
} as const

/** Outcomes of a call. */
export const OUTCOMES = { ok: 'answered', refused: 'refused', error: 'failed or stopped' } as const

/** Fields in the filter, except the time. */
const FIELDS = ['text', 'endpoint', 'caller', 'tool', 'client', 'outcome'] as const
type FilterField = (typeof FIELDS)[number]

/** Filter for calls. An empty field matches everything. */
export type CallFilter = Readonly<Record<FilterField, string>> & {
  readonly time: keyof typeof PERIODS
  /** Start of a page of older calls. */
  readonly cursor: string
}

/** Maximum number of characters that the API accepts in a field. */
const MAX_CHARS = 300

/** Filter from a URL's query. */
export function filterOf(params: URLSearchParams, endpoint?: string): CallFilter {
  const field = (name: string) => (params.get(name) ?? '').slice(0, MAX_CHARS)
  const fields = Object.fromEntries(FIELDS.map((it) => [it, field(it)])) as Record<
    FilterField,
    string
  >
  const time = field('time')
  return {
    ...fields,
    ...(endpoint !== undefined && { endpoint }),
    time: Object.hasOwn(PERIODS, time) ? (time as CallFilter['time']) : '24h',
    cursor: field('cursor'),
  }
}

/** API query for a filter. */
export function apiQuery(
  filter: CallFilter,
  more: Readonly<Record<string, string>>,
): URLSearchParams {
  const fields = FIELDS.map((it) => [it, filter[it]] as const).filter(([, it]) => it !== '')
  return new URLSearchParams({ ...Object.fromEntries(fields), ...more })
}

/** Scope of the call log: all endpoints, or one. */
export interface CallScope {
  readonly path: string
  /** Endpoint in the path. */
  readonly endpoint?: string | undefined
}

/** Link within this scope with the same filter, except for the given fields. */
export function linkTo(
  { path, endpoint }: CallScope,
  filter: CallFilter,
  { at = '', ...more }: Partial<CallFilter> & { readonly at?: string } = {},
): string {
  const { cursor: _, ...kept } = filter
  const fields = Object.entries({ ...kept, ...more }).filter(
    ([name, it]) => it !== '' && !(name === 'endpoint' && endpoint !== undefined),
  )
  return `${path}${at}?${new URLSearchParams(Object.fromEntries(fields))}`
}
