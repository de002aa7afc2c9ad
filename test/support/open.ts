import type { Database, Io, UnguardedDatabase } from '../../src/database/database.ts'
import { engines } from '../../src/database/engines.ts'
import { guarded } from '../../src/database/guard/guarded.ts'
import { locate } from '../../src/database/open.ts'
import { databaseUrl } from '../../src/database/transport/hosts.ts'

const read = await Promise.all(engines.map(async (it) => ({ ...it, ...(await it.read()) })))

/** Opens a database like the gateway, but synchronously, because every engine is already loaded. */
export const open = (url: string, io: Io): Database => guarded(unguarded(url, io))

/** The same without the guard. */
export function unguarded(url: string, io: Io): UnguardedDatabase {
  const { title } = locate(url, io)
  const parsed = databaseUrl(url)
  const drivers = read.filter((it) => it.title === title).flatMap((it) => it.drivers)
  return drivers.find((it) => it.opens(parsed))!.open(parsed, io)
}
