import type { Database, Io } from '../../src/database/database.ts'
import { engines } from '../../src/database/engines.ts'
import { guarded } from '../../src/database/guard/guarded.ts'
import { locate } from '../../src/database/open.ts'
import { databaseUrl } from '../../src/database/transport/hosts.ts'

const read = await Promise.all(engines.map(async (it) => ({ ...it, ...(await it.read()) })))

/** Opens a database as the gateway does, but at once: every engine is read already. */
export function open(url: string, io: Io): Database {
  const { title } = locate(url, io)
  const parsed = databaseUrl(url)
  const drivers = read.filter((it) => it.title === title).flatMap((it) => it.drivers)
  return guarded(drivers.find((it) => it.opens(parsed))!.open(parsed, io))
}
