import type { Database, TableList, TimeLimits } from '../../database/index.ts'
import { counted } from '../../ground/index.ts'
import type { Diagnosis } from './diagnosis.ts'

/** The result of one stage in a database check. Contains no secret and no host. */
export interface DiagnosisStage {
  readonly database: string
  /** The stages come in this order. If a database stops at a stage, the later stages are missing. */
  readonly stage:
    | 'recognised'
    | 'reached'
    | 'encrypted'
    | 'login'
    | 'version'
    | 'tables'
    | 'writes'
    | 'role'
    | 'tools'
  /** `ok`: as it should be. `low`: worth a look. `bad`: needs a fix. `off`: not checked. */
  readonly state: 'ok' | 'low' | 'bad' | 'off'
  readonly sentence: string
  /** The engine's message, or other details. */
  readonly detail?: string | undefined
  readonly ms?: number | undefined
}

/** The result of a stage, without the names of the database and the stage. */
export type StageResult = Pick<DiagnosisStage, 'state' | 'sentence' | 'detail' | 'ms'>

/** The sentence of the stage `recognised`. The URL is the configured one, which contains no secret. */
export const recognised = (url: string, title: string) =>
  url.startsWith('credential:')
    ? `${title}: the connection string can be read, and its host is allowed`
    : `${title}, by ${url}`

/** True if a database needs no login, because it is part of Cloudflare or of the deployment. */
export const isBuiltIn = (url: string) => /^(?:demo|d1|hyperdrive):/.test(url)

/** The stage `encrypted`. `tls` is undefined if encryption depends on the server. */
export function encryption(url: string, tls: boolean | undefined): StageResult {
  if (tls) return { state: 'ok', sentence: 'The connection is encrypted' }
  if (url.startsWith('hyperdrive:')) {
    return { state: 'ok', sentence: 'Hyperdrive makes the connection, as configured there' }
  }
  if (isBuiltIn(url)) return { state: 'ok', sentence: 'No connection leaves Cloudflare' }
  return tls === false
    ? { state: 'low', sentence: 'The connection is not encrypted: its network must be private' }
    : { state: 'low', sentence: 'The connection is encrypted only if the server offers it' }
}

/** The stage `tables`: the number of tables and columns that the role can read. */
export function tablesSeen({ tables, total }: TableList): StageResult {
  if (total === 0) {
    return {
      state: 'low',
      sentence: 'Its role cannot read any tables: grant it the right to select from some',
    }
  }
  const columns = tables.reduce((sum, it) => sum + it.columnCount, 0)
  const more = total > tables.length ? 'more than ' : ''
  const sentence = `Reads ${counted(total, 'table')} with ${more}${counted(columns, 'column')}`
  return { state: 'ok', sentence }
}

/** The stage `writes`: sends write statements directly to the engine, bypassing the guard. */
export async function writing(
  { dialect, refusesBy, tryWrite }: Database,
  { tables }: TableList,
  limits: TimeLimits,
): Promise<StageResult> {
  const table = tables.find(({ kind }) => kind === 'table')
  const trials = (await tryWrite?.(table, limits)) ?? []
  const how = refusesBy ? `. Statements run ${refusesBy}` : ''
  if (trials.length === 0) {
    const sentence = `Writes were not tested: there is no table to test with${how}`
    return { state: 'off', sentence }
  }
  const detail = trials
    .map(({ statement, said }) => `${statement}\n→ ${said ?? 'It ran.'}`)
    .join('\n')
  if (trials.some(({ refused }) => refused === false)) {
    const sentence = `${dialect.title} ran a statement that writes. Only the guard blocks such statements`
    return { state: 'bad', sentence, detail }
  }
  if (trials.some(({ refused }) => refused === undefined)) {
    return { state: 'off', sentence: 'It did not answer a statement that writes', detail }
  }
  return { state: 'ok', sentence: `Refuses to write, with the guard bypassed${how}`, detail }
}

/** The stage `role`: the rights of the role beyond reading. */
export function findingsOf({ findings = [], note, role }: Partial<Diagnosis>): StageResult {
  const high = findings.filter(({ severity }) => severity === 'high').length
  const low = findings.length - high
  if (findings.length === 0) {
    return note
      ? { state: 'low', sentence: 'The rights of its role are unknown', detail: note }
      : { state: 'ok', sentence: `${role ? 'Its role' : 'It'} can only read` }
  }
  const parts = [high > 0 && counted(high, 'high finding'), low > 0 && counted(low, 'low finding')]
  return {
    state: high > 0 ? 'bad' : 'low',
    sentence: `Its role can do more than read: ${parts.filter(Boolean).join(' and ')}`,
  }
}
