/** The times that may be looked at. A chart has about 45 buckets. */
export const PERIODS = {
  '3h': { text: 'last 3 hours', ms: 3 * 3_600_000, step: 240 },
  '24h': { text: 'last 24 hours', ms: 24 * 3_600_000, step: 1_800 },
  '7d': { text: 'last 7 days', ms: 7 * 86_400_000, step: 4 * 3_600 },
  '30d': { text: 'last 30 days', ms: 30 * 86_400_000, step: 16 * 3_600 },
} as const

/** How a call may have ended. */
export const OUTCOMES = { ok: 'answered', refused: 'refused', error: 'failed or stopped' } as const

/** Fields that a person may fill in, besides the time. */
const FIELDS = ['text', 'endpoint', 'caller', 'tool', 'client', 'outcome'] as const
type Field = (typeof FIELDS)[number]

/** What a person asks to see. A field that is empty asks for all. */
export type Asked = Readonly<Record<Field, string>> & {
  readonly time: keyof typeof PERIODS
  /** Where a page of older calls begins. */
  readonly cursor: string
}

/** No field of the API takes more. */
const MAX_CHARS = 300

/** What the query of a URL asks for. */
export function askedOf(params: URLSearchParams, endpoint?: string): Asked {
  const field = (name: string) => (params.get(name) ?? '').slice(0, MAX_CHARS)
  const fields = Object.fromEntries(FIELDS.map((it) => [it, field(it)])) as Record<Field, string>
  const time = field('time')
  return {
    ...fields,
    ...(endpoint !== undefined && { endpoint }),
    time: Object.hasOwn(PERIODS, time) ? (time as Asked['time']) : '24h',
    cursor: field('cursor'),
  }
}

/** What the API is asked for it. */
export function apiQuery(asked: Asked, more: Readonly<Record<string, string>>): URLSearchParams {
  const fields = FIELDS.map((it) => [it, asked[it]] as const).filter(([, it]) => it !== '')
  return new URLSearchParams({ ...Object.fromEntries(fields), ...more })
}

/** Where calls are looked at: all of them, or those of one endpoint. */
export interface Place {
  readonly path: string
  /** The endpoint that the path names. */
  readonly endpoint?: string | undefined
}

/** A link to a page of this place that asks for the same, but for what is given. */
export function linkTo(
  { path, endpoint }: Place,
  asked: Asked,
  { at = '', ...more }: Partial<Asked> & { readonly at?: string } = {},
): string {
  const { cursor: _, ...kept } = asked
  const fields = Object.entries({ ...kept, ...more }).filter(
    ([name, it]) => it !== '' && !(name === 'endpoint' && endpoint !== undefined),
  )
  return `${path}${at}?${new URLSearchParams(Object.fromEntries(fields))}`
}
