import type { Driver, Io, UnguardedDatabase } from '../../database.ts'
import { DatabaseServers } from '../../transport/servers.ts'
import { mysql as dialect } from '../dialect.ts'
import { answerOf } from './answer.ts'
import { KeptConnections } from './kept.ts'
import { accessOf, type MysqlLogin, type MysqlServers } from './login.ts'
import { withClientSettings } from './option-file.ts'
import { runReadOnly } from './run.ts'

/** MySQL and MariaDB over TCP: `mysql://…` or `mariadb://…`. */
export const mysql: Driver = {
  name: 'mysql',
  opens: ({ protocol }) => /^(?:mysql|mariadb):$/.test(protocol),
  open: (url, io) => at(accessOf(url), io),
  async openOn(machine, url, io) {
    const access = accessOf(await withClientSettings(url, machine), machine)
    const name = `mysql ${JSON.stringify(access)}`
    return at(
      access,
      io,
      machine.keep(name, () => new KeptConnections()),
    )
  },
}

function at(access: MysqlServers, io: Io, connections?: KeptConnections): UnguardedDatabase {
  const place = { access, servers: new DatabaseServers(access.logins), connections }
  const [{ database, tls }] = access.logins as [MysqlLogin]
  return {
    dialect: dialect(database),
    tls: tls === 'offered' ? undefined : tls,
    refusesBy: 'in a read-only session, if the server parses them as queries',
    applies: ['role'],
    asksGates: true,
    query: async (statement, limits) =>
      answerOf(await runReadOnly(place, statement, limits, io), limits),
  }
}
