import { pause } from '../../ground/index.ts'
import { textStream } from '../text-stream.ts'
import type { Credential } from './entries.ts'

type ExportRow = { readonly name: string; readonly value: string }

/** Number of entries written at once. */
const PIECE = 200

/**
 * The entire contents of a registry, as text in pieces. All of it is read before the first piece, without a pause. So
 * a change is in all parts of an export, or in none of them.
 */
export function exportOf(sql: SqlStorage): ReadableStream<Uint8Array> {
  const rows = (table: string, name: string) =>
    sql.exec<ExportRow>(`select ${name} as name, value from ${table} order by ${name}`).toArray()
  const lists = {
    endpoints: rows('endpoints', 'name'),
    // A group is exported after the keys and endpoints that it lists.
    keys: rows('keys', 'id'),
    groups: rows('groups', 'name'),
  }
  const [settings] = sql.exec<ExportRow>('select name, value from settings').toArray()
  const credentials = new Map<string, [id: string, value: string][]>()
  const select = `select id, value, case when group_name is null then 'endpoints ' || endpoint
    else 'groups ' || group_name end as owner from credentials order by id`
  for (const { id, value, owner } of sql.exec<Record<string, string>>(select)) {
    const own = credentials.get(owner!) ?? []
    own.push([id!, value!])
    credentials.set(owner!, own)
  }

  async function* pieces(): AsyncGenerator<string> {
    const exportedAt = new Date().toISOString()
    const head = { format: 'tidegate-registry-1', exportedAt }
    yield `${JSON.stringify(head).slice(0, -1)},"settings":${settings?.value ?? '{}'}`
    for (const [list, entries] of Object.entries(lists)) {
      yield `,"${list}":[`
      for (let at = 0; at < entries.length; at += PIECE) {
        // Other requests are answered in between.
        await pause(0)
        const some = entries.slice(at, at + PIECE).map((it) => textOf(list, it))
        yield `${at === 0 ? '\n' : ',\n'}${some.join(',\n')}`
      }
      yield ']'
    }
    yield '}\n'
  }

  function textOf(list: string, { name, value }: ExportRow): string {
    const entry = JSON.parse(value) as object
    if (list === 'keys') return JSON.stringify(entry)
    const own = (credentials.get(`${list} ${name}`) ?? []).map(
      ([id, text]) => [id, JSON.parse(text) as Credential] as const,
    )
    return JSON.stringify({ ...entry, credentials: Object.fromEntries(own) })
  }

  return textStream(pieces())
}

/** The entire contents of the registry at one moment, in the API's export format. */
export async function exportFrom(
  namespace: DurableObjectNamespace,
): Promise<ReadableStream<Uint8Array>> {
  const object = namespace.get(namespace.idFromName('registry'))
  const { body, ok, status } = await object.fetch('https://registry/export')
  if (ok && body) return body
  throw new Error(`The registry answered ${status}.`)
}
