import type { Driver } from '../database.ts'
import { Servers } from '../transport/servers.ts'
import { mysql as dialect } from './dialect.ts'
import { answerOf } from './tcp-answer.ts'
import { accessOf, type Login } from './tcp-login.ts'
import { runReadOnly } from './tcp-session.ts'

/** MySQL and MariaDB over TCP: `mysql://…` or `mariadb://…`. */
export const mysql: Driver = {
  name: 'mysql',
  opens: ({ protocol }) => /^(?:mysql|mariadb):$/.test(protocol),
  open(url, io) {
    const access = accessOf(url)
    const servers = new Servers(access.logins)
    const [{ database, tls }] = access.logins as [Login]
    return {
      dialect: dialect(database),
      tls: tls === 'offered' ? undefined : tls,
      refusesBy: 'in a session that only reads, if the server says that they are queries',
      applies: ['role'],
      asksGates: true,
      query: async (statement, limits) =>
        answerOf(await runReadOnly(access, servers, statement, limits, io), limits),
    }
  },
}
