import type { Driver } from '../database.ts'
import type { Cell } from '../rows.ts'
import { cap } from '../transport/row-cap.ts'
import { Servers } from '../transport/servers.ts'
import { mysql as dialect } from './dialect.ts'
import { accessOf, type Login } from './tcp-login.ts'
import { runReadOnly } from './tcp-session.ts'
import { typeOfField } from './types.ts'
import { type Raw, readValue, type Type } from './values.ts'

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
      async query(statement, limits) {
        const { fields, rows, cut } = await runReadOnly(access, servers, statement, limits, io)
        const types = fields.map(typeOfField)
        const answer = cap(cells(rows, types), limits)
        return {
          columns: fields.map(({ name }, i) => ({ name, type: types[i]!.name })),
          rows: answer.rows,
          truncated: answer.truncated || (cut && 'bytes'),
        }
      },
    }
  },
}

/** Reads the rows one by one, so that those beyond the cap are never read. */
function* cells(rows: readonly (readonly Raw[])[], types: readonly Type[]): Iterable<Cell[]> {
  for (const row of rows) yield row.map((raw, i) => readValue(raw, types[i]!))
}
