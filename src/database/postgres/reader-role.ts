import { doubleQuoted } from '../dialect.ts'
import { PASSWORD } from '../role.ts'

/** Makes a role that may read all tables there are and will be, and nothing else. */
export function readerRole(
  database: string,
  schemas: readonly (readonly [string, readonly unknown[]])[],
): string[] {
  const role = doubleQuoted(`tidegate_${database}`)
  return [
    `CREATE ROLE ${role} LOGIN PASSWORD ${PASSWORD};`,
    `ALTER ROLE ${role} SET default_transaction_read_only = on;`,
    `ALTER ROLE ${role} SET statement_timeout = '60s';`,
    `GRANT CONNECT ON DATABASE ${doubleQuoted(database)} TO ${role};`,
    ...schemas.flatMap(([schema, owners]) => [
      `GRANT USAGE ON SCHEMA ${doubleQuoted(schema)} TO ${role};`,
      `GRANT SELECT ON ALL TABLES IN SCHEMA ${doubleQuoted(schema)} TO ${role};`,
      ...owners.map(
        (owner) =>
          `ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} IN SCHEMA ${doubleQuoted(schema)} GRANT SELECT ON TABLES TO ${role};`,
      ),
    ]),
  ]
}
