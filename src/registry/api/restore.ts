import type * as z from 'zod/mini'
import { pause } from '../../ground/index.ts'
import type { Credential, EndpointEntry, StoredGroup } from '../state/entries.ts'
import type { Piece } from '../state/restoring.ts'
import { assertNotOwnSecret, referredTo } from './connection.ts'
import { currentKeyId } from './credentials.ts'
import type { exported } from './exported.ts'
import { ApiFault, answer, wrongField } from './fault.ts'
import { assertWritten } from './lists.ts'
import type { ApiContext } from './surroundings.ts'

/** Restores an export. Its entries are staged in pieces, and then take effect together. */
export async function restore(
  mode: 'merge' | 'replace',
  { settings, ...sent }: z.infer<typeof exported>,
  { ask, change, configured, isOnlyDemo, secrets }: ApiContext,
): Promise<Response> {
  const { endpoints, keys, groups } = sent as Piece
  assertOnce('endpoints', endpoints, ({ name }) => name)
  assertOnce('keys', keys, ({ id }) => id)
  assertOnce('groups', groups, ({ name }) => name)
  for (const [i, it] of endpoints.entries()) {
    assertCredentials(urlsOfEndpoint(it, `endpoints[${i}]`), it, `endpoints[${i}]`)
  }
  for (const [i, it] of groups.entries()) {
    assertCredentials(urlsOfGroup(it), it, `groups[${i}]`)
  }
  const hidden = isOnlyDemo ? [] : configured.map(({ name }) => name)
  const clash = endpoints.find(({ name }) => hidden.includes(name))
  if (clash) throw new ApiFault(409, `The endpoint ${clash.name} is from the configuration.`)
  const { entries, leftOut } = withKnownNames(
    { endpoints, keys, groups },
    configured.map(({ name }) => name),
  )
  const id = crypto.randomUUID()
  for (const piece of piecesOf(entries)) {
    await ask('stage', { id, piece })
    await pause(0)
  }
  const written = { endpoints: endpoints.length, keys: keys.length, groups: groups.length }
  const contents = { settings, endpoints: [], keys: [], groups: [] }
  assertWritten(
    await change('restore', { mode, contents, staged: { id, ...written } }),
    'The registry',
  )
  const keyId = await currentKeyId(secrets).catch(() => undefined)
  const others = keyId && (await ask('credentialsNotUnder', { keyId, limit: 0 }))
  return answer({
    mode,
    written,
    ...(leftOut > 0 && { namesLeftOut: leftOut }),
    holds: await ask('counts', undefined),
    ...(others && { credentialsToReseal: others.total }),
  })
}

/**
 * Removes the names of endpoints that are neither in the export nor in the configuration. An endpoint with such a
 * name, now or later, is a different endpoint, and restored keys and groups must not open it.
 */
function withKnownNames(
  { endpoints, keys, groups }: Piece,
  configured: readonly string[],
): { readonly entries: Piece; readonly leftOut: number } {
  const known = new Set(['*', ...configured, ...endpoints.map(({ name }) => name)])
  let leftOut = 0
  const isKnown = (name: string) => {
    if (known.has(name)) return true
    leftOut++
    return false
  }
  const entries = {
    endpoints,
    keys: keys.map((it) => ({ ...it, endpoints: it.endpoints.filter(isKnown) })),
    groups: groups.map((it) => ({
      ...it,
      endpoints: Object.fromEntries(Object.entries(it.endpoints).filter(([name]) => isKnown(name))),
      credentials: Object.fromEntries(
        Object.entries(it.credentials).filter(([, { endpoint }]) => known.has(endpoint)),
      ),
    })),
  }
  return { entries, leftOut }
}

/** Maximum number of entries staged in one piece, and of characters in them. */
const PIECE = 500
const MAX_PIECE_CHARS = 256 * 1024

/** Splits the entries into pieces that are small enough not to keep the registry busy for long. */
function* piecesOf(entries: Piece): Iterable<Piece> {
  const none: Piece = { endpoints: [], keys: [], groups: [] }
  for (const list of ['endpoints', 'keys', 'groups'] as const) {
    let piece: object[] = []
    let chars = 0
    for (const it of entries[list]) {
      const { length } = JSON.stringify(it)
      if (piece.length === PIECE || (piece.length > 0 && chars + length > MAX_PIECE_CHARS)) {
        yield { ...none, [list]: piece }
        piece = []
        chars = 0
      }
      piece.push(it)
      chars += length
    }
    if (piece.length > 0) yield { ...none, [list]: piece }
  }
}

function assertOnce<Entry>(
  list: string,
  entries: readonly Entry[],
  nameOf: (entry: Entry) => string,
): void {
  const seen = new Set<string>()
  for (const [i, entry] of entries.entries()) {
    if (seen.has(nameOf(entry))) throw wrongField(`${list}[${i}]`, 'appears twice.')
    seen.add(nameOf(entry))
  }
}

/** A URL, and the purpose that its credential must have been made for. */
type CredentialUse = Pick<Credential, 'endpoint' | 'database' | 'group'> & { readonly url: string }

function urlsOfEndpoint({ name, value }: EndpointEntry, at: string): readonly CredentialUse[] {
  if (value.name !== name) throw wrongField(`${at}.name`, 'does not match the name in its value.')
  return Object.entries(value.databases).map(([database, { url }]) => ({
    endpoint: name,
    database,
    url,
  }))
}

const urlsOfGroup = ({ name: group, endpoints }: StoredGroup): readonly CredentialUse[] =>
  Object.entries(endpoints).flatMap(([endpoint, { databases = {} }]) =>
    Object.entries(databases).map(([database, { url = '' }]) => ({
      endpoint,
      database,
      group,
      url,
    })),
  )

/** Throws {@link ApiFault} unless an entry has exactly the credentials that its URLs refer to. */
function assertCredentials(
  used: readonly CredentialUse[],
  { credentials }: { readonly credentials: Readonly<Record<string, Credential>> },
  at: string,
): void {
  const ids = new Set<string>()
  for (const { url, endpoint, database, group } of used) {
    assertNotOwnSecret(url, at)
    const id = referredTo(url)
    if (id === undefined) continue
    const it = Object.hasOwn(credentials, id) ? credentials[id] : undefined
    const isOwn = it?.endpoint === endpoint && it.database === database && it.group === group
    if (it?.id !== id || !isOwn) {
      throw wrongField(
        at,
        'lacks a credential that it names, or has one that belongs to something else.',
      )
    }
    ids.add(id)
  }
  if (Object.keys(credentials).some((id) => !ids.has(id))) {
    throw wrongField(at, 'has a credential that it does not name.')
  }
}
