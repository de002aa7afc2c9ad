import { changed } from './changes.ts'
import type { Credential } from './entries.ts'
import { type PageOrder, type RegistryRows, Undone } from './rows.ts'

/** The owner of credentials: an endpoint, or a group. */
type CredentialOwner = { readonly endpoint: string } | { readonly group: string }

const ownedBy = (owner: CredentialOwner) =>
  'group' in owner
    ? (['group_name = ?', owner.group] as const)
    : (['endpoint = ? and group_name is null', owner.endpoint] as const)

export function credentialsOf(
  rows: RegistryRows,
  owner: CredentialOwner,
): Readonly<Record<string, Credential>> {
  const [where, name] = ownedBy(owner)
  const all = rows.entries<Credential>(`select value from credentials where ${where}`, name)
  return Object.fromEntries(all.map((it) => [it.id, it]))
}

/** Writes an owner's new credentials, and drops those that its URLs no longer use. */
export function replaceCredentials(
  rows: RegistryRows,
  owner: CredentialOwner,
  credentials: Readonly<Record<string, Credential>>,
  urls: readonly (string | undefined)[],
): void {
  for (const it of Object.values(credentials)) putCredential(rows, it)
  for (const id of Object.keys(credentialsOf(rows, owner))) {
    if (!urls.includes(`credential:${id}`))
      rows.sql.exec('delete from credentials where id = ?', id)
  }
}

function putCredential(rows: RegistryRows, it: Credential): void {
  const group = it.group ?? null
  const old = rows.first('select endpoint, group_name from credentials where id = ?', it.id)
  if (old && (old.endpoint !== it.endpoint || old.group_name !== group)) throw new Undone('taken')
  rows.sql.exec(
    'insert or replace into credentials (id, endpoint, group_name, key_id, value) values (?, ?, ?, ?, ?)',
    ...[it.id, it.endpoint, group, it.sealed.keyId, JSON.stringify(it)],
  )
}

/** Credentials that are not sealed with this key, so that they can be resealed. */
export function credentialsNotUnder(
  rows: RegistryRows,
  { keyId, after = '', limit }: PageOrder & { readonly keyId: string },
): { readonly entries: readonly Credential[]; readonly total: number } {
  const entries = rows.entries<Credential>(
    'select value from credentials where key_id <> ? and id > ? order by id limit ?',
    ...[keyId, after, limit],
  )
  return { entries, total: rows.count('credentials where key_id <> ?', keyId) }
}

/** Writes resealed credentials. A credential that has changed in the meantime is left alone. */
export function reseal(
  rows: RegistryRows,
  { entries }: { readonly entries: readonly Readonly<Record<'was' | 'is', Credential>>[] },
): { readonly done: number } {
  let done = 0
  for (const { was, is } of entries) {
    const now = rows.entry<Credential>('credentials', was.id)
    if (now?.sealed.text !== was.sealed.text) continue
    putCredential(rows, is)
    changed(rows, 'endpoint', is.endpoint)
    done++
  }
  return { done }
}
