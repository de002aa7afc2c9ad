import type { Database, Io } from '../../src/database/database.ts'
import { engines } from '../../src/database/engines.ts'
import { guarded } from '../../src/database/guard/guarded.ts'
import { locate } from '../../src/database/open.ts'
import { databaseUrl } from '../../src/database/transport/hosts.ts'

const drivers = (await Promise.all(engines.map((it) => it.read()))).flatMap((it) => it.drivers)

/** Opens a database as the gateway does, but at once: every engine is read already. */
export function open(url: string, io: Io): Database {
  locate(url, io)
  const parsed = databaseUrl(url)
  return guarded(drivers.find((it) => it.opens(parsed))!.open(parsed, io))
}
