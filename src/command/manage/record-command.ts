// `tidegate records`

import { setTimeout as sleep } from 'node:timers/promises'
import { counted } from '../../ground/index.ts'
import type { Answers } from '../../registry/index.ts'
import { command } from '../command.ts'
import { plain } from '../terminal/table.ts'
import type { ApiRequest } from './api.ts'
import { last, lastOf } from './last.ts'

type Records = readonly Answers['Record'][]

const POLL_MS = 2_000

/** Time after a call within which its record can still arrive. */
const LATE_MS = 60_000

/** Number of records on one page. */
const PAGE = 100

export const recordCommand = command({
  words: 'records',
  args: [],
  about: 'Prints the records of calls, newest last.',
  options: {
    endpoint: { type: 'string', value: 'NAME', about: 'only calls to this endpoint' },
    last,
    follow: { type: 'boolean', about: 'continue with new calls, until Ctrl-C' },
    jsonl: { type: 'boolean', about: 'print each record as one line of JSON' },
  },
  async run({ ask, options }) {
    const { endpoint, follow, jsonl, json } = options
    const most = Number(lastOf(options, 6))
    const lineOf = (it: Answers['Record']) => (jsonl || json ? JSON.stringify(it) : textOf(it))
    const show = (records: Records) => {
      for (const it of records.toReversed()) console.log(lineOf(it))
    }
    const first = await newest(ask, { endpoint }, (records) => records.length < most)
    show(first.records.slice(0, most))
    if (first.lost > 0) {
      console.error(`${first.lost} calls have no record: their records could not be written.`)
    }
    if (!follow) return
    for await (const records of coming(ask, endpoint, first.records)) show(records)
  },
})

/** Streams new records. They are written some time after their calls, so the last minute is read again. */
async function* coming(
  ask: ApiRequest,
  endpoint: string | undefined,
  before: Records,
): AsyncGenerator<Records> {
  const first = before.at(-1)?.id ?? ''
  let known = before
  for (;;) {
    await sleep(POLL_MS)
    const latest = known[0]?.time
    const since = latest && new Date(Date.parse(latest) - LATE_MS).toISOString()
    const { records } = await newest(ask, { endpoint, since }, () => true)
    const ids = new Set(known.map(({ id }) => id))
    yield records.filter(({ id }) => id > first && !ids.has(id))
    known = records.length > 0 ? records : known
  }
}

/** The newest records, page by page while more are wanted. */
async function newest(
  ask: ApiRequest,
  query: Readonly<Record<string, string | undefined>>,
  wantsMore: (records: Records) => boolean,
) {
  const params = new URLSearchParams({ limit: String(PAGE) })
  for (const [name, it] of Object.entries(query)) if (it !== undefined) params.set(name, it)
  const records: Answers['Record'][] = []
  let cursor: string | undefined
  let lost: number | undefined
  do {
    if (cursor) params.set('cursor', cursor)
    const page = await ask<Answers['Records']>('GET', `/api/records?${params}`)
    records.push(...page.records)
    lost ??= page.lost
    cursor = page.next
  } while (cursor && wantsMore(records))
  return { records, lost: lost ?? 0 }
}

/** One record as a line: time, endpoint, caller, call and outcome. */
function textOf(it: Answers['Record']): string {
  const { outcome, code = outcome, calls = 1 } = it
  const sql = it.statements?.map(({ sql }) => sql).filter(Boolean)
  const parts = [
    it.time.slice(0, 19).replace('T', ' '),
    it.endpoint,
    it.caller ?? 'anonymous',
    it.client?.name,
    it.tool,
    outcome === 'ok' ? counted(it.rows, 'row') : [...new Set([outcome, code])].join(' '),
    calls > 1 && `${calls} times`,
    `${it.milliseconds} ms`,
    sql?.join('; ').replace(/\s+/g, ' '),
  ]
  return plain(parts.filter(Boolean).join('  '))
}
