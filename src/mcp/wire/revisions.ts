// Everything that changed from one protocol revision to the next. Revisions are ISO dates, so `<` orders them;
// nothing outside this file compares versions.
/** `legacy` opens with `initialize`; `modern` carries its metadata on every request. */
export type Era = 'legacy' | 'modern'

export interface Revision {
  readonly version: string
  readonly era: Era
  /** True if one body can hold an array of messages. */
  readonly batches: boolean
  /** The response to arguments that do not match a schema: a result that the model reads (SEP-1303), or an error. */
  readonly argumentErrors: 'result' | 'rpc'
  /** True if a stream begins with an empty event. Its id lets the client resume (SEP-1699). */
  readonly primes: boolean
}

/** Newest first, the order in which they are offered. */
export const revisions: readonly Revision[] = [
  revision('2026-07-28', 'modern', { argumentErrors: 'result' }),
  revision('2025-11-25', 'legacy', { argumentErrors: 'result', primes: true }),
  revision('2025-06-18', 'legacy'),
  revision('2025-03-26', 'legacy', { batches: true }),
  revision('2024-11-05', 'legacy', { batches: true }),
]

function revision(version: string, era: Era, differs: Partial<Revision> = {}): Revision {
  return { version, era, batches: false, argumentErrors: 'rpc', primes: false, ...differs }
}

const legacy = revisions.filter(({ era }) => era === 'legacy')

/**
 * The revision for a legacy client that sends no version header. Several hosts negotiate a new revision and
 * never send its header. So such clients get the newest shapes, and batches as in the older revisions.
 */
export const defaultLegacyRevision: Revision = { ...legacy[0]!, batches: true }

export function revisionOf(version: unknown): Revision | undefined {
  return revisions.find((known) => known.version === version)
}

/** The legacy revision in the response to `initialize`: the requested one, or else our newest. */
export function negotiate(version: unknown): Revision {
  return legacy.find((known) => known.version === version) ?? legacy[0]!
}

/** The versions of an era, or of both, newest first. */
export const versions = (era?: Era): string[] =>
  revisions.filter((it) => !era || it.era === era).map(({ version }) => version)

/** True if a version, known or unknown, belongs to the modern era. */
export const isModern = (version: string | null): boolean =>
  version !== null && /^\d{4}-\d\d-\d\d$/.test(version) && version >= '2026-07-28'

/** The first and the last revision in which a feature exists. */
export interface Span {
  readonly since?: string
  readonly until?: string
}

export const existsIn = ({ since = '', until = '9' }: Span, { version }: Revision): boolean =>
  since <= version && version <= until

/** The revision that added each later field. A client never sees a field newer than its revision. */
const fields: Readonly<Record<string, string>> = {
  annotations: '2025-03-26',
  title: '2025-06-18',
  outputSchema: '2025-06-18',
  structuredContent: '2025-06-18',
  icons: '2025-11-25',
  websiteUrl: '2025-11-25',
}

/** Drops undefined fields, and fields that are newer than `revision`. */
export function forRevision<T extends object>(value: T, revision: Revision): Partial<T> {
  const kept: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) {
    if (field !== undefined && (fields[name] ?? '') <= revision.version) kept[name] = field
  }
  return kept as Partial<T>
}
