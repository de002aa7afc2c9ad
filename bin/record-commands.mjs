// `tidegate records`
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from './api.mjs'
import { count, plain } from './table.mjs'

const POLL_MS = 2_000

/** How long after its call a record may come. */
const LATE_MS = 60_000

/** Records of one page. */
const PAGE = 100

export const recordCommands = [
  {
    words: 'records',
    args: [],
    about: 'Prints the records of calls, the newest last.',
    options: {
      endpoint: { type: 'string', value: 'NAME', about: 'only those of this endpoint' },
      last: { type: 'string', value: 'N', about: 'how many; else 50' },
      follow: { type: 'boolean', about: 'go on with the calls to come, until Ctrl-C' },
      jsonl: { type: 'boolean', about: 'print a line of JSON for each' },
    },
    async run({ ask, options }) {
      const { endpoint, last: most = '50', follow, jsonl, json } = options
      if (!/^\d{1,6}$/.test(most)) throw new Failure('--last is a number, such as 50.', 2)
      const lineOf = jsonl || json ? JSON.stringify : textOf
      const show = (records) => records.reverse().map((it) => console.log(lineOf(it)))
      const first = await newest(ask, { endpoint }, (records) => records.length < Number(most))
      show(first.records.slice(0, Number(most)))
      if (first.lost > 0) {
        console.error(`${first.lost} calls have no record: it could not be written.`)
      }
      if (!follow) return
      for await (const records of coming(ask, endpoint, first.records)) show(records)
    },
  },
]

/** The records to come. They are written some time after their calls, so the last minute is read again. */
async function* coming(ask, endpoint, before) {
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

/** The newest records, by pages as long as more are wanted. */
async function newest(ask, query, wantsMore) {
  const given = Object.entries({ limit: PAGE, ...query }).filter(([, it]) => it !== undefined)
  const records = []
  let cursor
  let lost
  do {
    const params = new URLSearchParams([...given, ...(cursor ? [['cursor', cursor]] : [])])
    const page = await ask('GET', `/api/records?${params}`)
    records.push(...page.records)
    lost ??= page.lost
    cursor = page.next
  } while (cursor && wantsMore(records))
  return { records, lost }
}

/** One record in a line: when, where, who, what, and how it ended. */
function textOf(it) {
  const {
    time,
    endpoint,
    caller,
    client,
    tool,
    rows,
    milliseconds,
    outcome,
    code,
    calls,
    statements,
  } = it
  const sql = statements?.map(({ sql }) => sql).filter(Boolean)
  const parts = [
    time.slice(0, 19).replace('T', ' '),
    endpoint,
    caller ?? 'anonymous',
    client?.name,
    tool,
    outcome === 'ok' ? count(rows, 'row') : [...new Set([outcome, code ?? outcome])].join(' '),
    calls > 1 && `${calls} times`,
    `${milliseconds} ms`,
    sql?.join('; ').replace(/\s+/g, ' '),
  ]
  return plain(parts.filter(Boolean).join('  '))
}
