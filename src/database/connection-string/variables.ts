import { type Draft, type Field, fieldOf, plainName } from './draft.ts'
import { assertNotForeign, type Known, knownScheme } from './families.ts'
import { NotRecognised } from './fault.ts'
import { guessed } from './told-engine.ts'

/** What stands before the names of variables that are about a database, the likeliest first. */
const PREFIXES = [
  ...['database', 'db', 'pg', 'postgres', 'postgresql', 'mysql', 'mariadb', 'clickhouse'],
  ...['springdatasource', 'datasource', 'rds', 'sql', 'typeorm', 'rdsdb', 'awsrds', 'dbprimary'],
  ...['knex', 'sequelize', 'django', 'ch', 'app', 'appdb', 'prod', 'proddb', 'development', ''],
]

/** Names of the field behind a prefix that alone would mean something else. */
const MORE: Readonly<Record<string, Field>> = { name: 'database', schema: 'database', root: 'user' }

/** What names the engine. */
const ENGINES = [
  'engine',
  'adapter',
  'connection',
  'driver',
  'dialect',
  'type',
  'client',
  'provider',
]

/** Reads a host, a user and so on from variables of their own: `DB_HOST`, `PGUSER`, `spring.datasource.password`. */
export function readVariables(variables: ReadonlyMap<string, string>): Draft | undefined {
  const plain = [...variables].map(([name, value]) => [plainName(name), value] as const)
  for (const prefix of PREFIXES) {
    const draft: Draft = { params: new Map() }
    let known: Known | undefined = knownScheme(prefix)
    for (const [name, value] of plain) {
      if (!name.startsWith(prefix) || value === '') continue
      const rest = name.slice(prefix.length)
      const field = fieldOf(rest) ?? (prefix === '' && rest !== 'name' ? undefined : MORE[rest])
      if (field) draft[field] ??= value
      else if (ENGINES.includes(rest)) known = engineOf(value) ?? known
      else if (/^(?:ssl|sslmode|tls)$/.test(rest)) draft.params.set(rest, value)
    }
    const isNamed = draft.user !== undefined || draft.database !== undefined
    if (draft.host === undefined && known && isNamed && draft.password !== undefined) {
      throw new NotRecognised(
        `These variables name no host. Add one: ${prefix.toUpperCase()}${prefix === 'pg' ? '' : '_'}HOST=db.example.com.`,
        'host',
      )
    }
    if (draft.host === undefined || !isNamed) continue
    const found = known ?? guessed(draft)
    return { ...draft, family: found?.family, scheme: found?.scheme }
  }
  return undefined
}

/** `pgsql`, `postgresql`, `django.db.backends.postgresql`, `com.mysql.cj.jdbc.Driver` */
function engineOf(value: string): Known | undefined {
  for (const word of value
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .slice(0, 10)) {
    assertNotForeign(word)
    const known = knownScheme(word)
    if (known) return known
  }
  return undefined
}

/** Adds what a connection string lacks and a variable beside it says: a user, a password, a token. */
export function completed(draft: Draft, variables: ReadonlyMap<string, string>): Draft {
  const ending = (...ends: readonly string[]) =>
    [...variables].find(([name]) => ends.some((it) => plainName(name).endsWith(it)))?.[1]
  if (draft.family === 'libsql') {
    if (draft.params.size > 0 || draft.password !== undefined) return draft
    const token = ending('authtoken', 'tursotoken', 'libsqltoken')
    return token === undefined ? draft : { ...draft, params: new Map([['authtoken', token]]) }
  }
  if (draft.user !== undefined && draft.password !== undefined) return draft
  const value = (field: Field) =>
    [...variables].find(([name]) => {
      const plain = plainName(name)
      return PREFIXES.some(
        (it) => plain.startsWith(it) && fieldOf(plain.slice(it.length)) === field,
      )
    })?.[1]
  return {
    ...draft,
    user: draft.user ?? value('user'),
    password: draft.password ?? value('password'),
  }
}

/** A text with the values of the variables that it names. */
export const filled = (text: string, variables: ReadonlyMap<string, string>): string =>
  text.replace(
    /\$\{(\w{1,100})\}|\$(\w{1,100})/g,
    (whole, braced, bare) => variables.get(braced ?? bare) ?? whole,
  )
