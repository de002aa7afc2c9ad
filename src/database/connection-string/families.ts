import { nearest } from '../schema/nearest-names.ts'
import { NotRecognised } from './fault.ts'

/** Databases whose connection strings are read in the same way. */
export type Family =
  | 'postgres'
  | 'mysql'
  | 'clickhouse'
  | 'libsql'
  | 'rqlite'
  | 'd1'
  | 'supabase'
  | 'binding'

/** What a scheme stands for: a family, and the scheme for our drivers. */
export interface Known {
  readonly family: Family
  readonly scheme: string
}

const known = (family: Family, scheme: string, ...names: readonly string[]) =>
  [scheme, ...names].map((name): [string, Known] => [name, { family, scheme }])

/** What a scheme stands for, whoever wrote it, in small letters. */
const KNOWN: ReadonlyMap<string, Known> = new Map([
  ...known('postgres', 'postgres', 'postgresql', 'pgsql', 'psql', 'pg', 'postgis', 'postgre'),
  ...known('postgres', 'postgres', 'psycopg2', 'psycopg', 'asyncpg', 'timescaledb', 'timescale'),
  ...known('postgres', 'postgres', 'cockroachdb', 'cockroach', 'yugabyte', 'aurorapostgresql'),
  ...known('postgres', 'neon'),
  ...known('supabase', 'supabase'),
  ...known('mysql', 'mysql', 'mysql2', 'mysqli', 'trilogy', 'pymysql', 'tidb', 'auroramysql'),
  ...known('mysql', 'mysql', 'jdbcmysql', 'vitess'),
  ...known('mysql', 'mariadb'),
  ...known('mysql', 'planetscale', 'pscale'),
  ...known('clickhouse', 'clickhouse', 'ch', 'clickhousedb'),
  ...known('clickhouse', 'clickhouses', 'chs'),
  ...known('libsql', 'libsql', 'turso', 'libsqls'),
  ...known('rqlite', 'rqlite'),
  ...known('rqlite', 'rqlites'),
  ...known('d1', 'd1'),
])

/** Schemes whose letters are often mistaken. */
const OFTEN_MISTAKEN = ['postgres', 'postgresql', 'mysql', 'mariadb', 'clickhouse', 'libsql']

/** The scheme of a family that a name stands for, perhaps with a driver behind a plus. */
export const knownScheme = (name: string): Known | undefined =>
  KNOWN.get(name.toLowerCase().replace('sqlite+', '').split('+')[0]!.replaceAll(/[-_]/g, ''))

/** The scheme that was meant by a mistaken one. */
export function meantScheme(name: string): Known | undefined {
  const [bare = ''] = name.toLowerCase().split('+')
  if (bare.length < 4 || bare.length > 20) return undefined
  const [found] = nearest(bare, OFTEN_MISTAKEN, 1)
  return found === undefined ? undefined : KNOWN.get(found)
}

/** What each family is called. */
export const TITLES: Readonly<Record<Exclude<Family, 'binding'>, string>> = {
  postgres: 'PostgreSQL',
  supabase: 'PostgreSQL',
  mysql: 'MySQL',
  clickhouse: 'ClickHouse',
  libsql: 'SQLite',
  rqlite: 'SQLite',
  d1: 'SQLite',
}

/** What can be read, for a sentence. */
export const TAKEN =
  'What can be read is PostgreSQL, MySQL, MariaDB, ClickHouse, and SQLite at Cloudflare D1, Turso or rqlite.'

const foreign = (title: string, ...names: readonly string[]) =>
  names.map((name): [string, string] => [name, title])

/** Databases and services that no driver opens, by their schemes. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ...foreign('MongoDB', 'mongodb', 'mongo', 'mongosh'),
  ...foreign('Redis', 'redis', 'rediss', 'valkey', 'valkeys', 'rediscli'),
  ...foreign('Memcached', 'memcached', 'memcache'),
  ...foreign('SQL Server', 'mssql', 'sqlserver', 'jtds', 'sqlcmd', 'odbcsqlserver'),
  ...foreign('Oracle', 'oracle', 'cxoracle', 'oracledb', 'sqlplus', 'thin'),
  ...foreign('Snowflake', 'snowflake', 'snowsql'),
  ...foreign('BigQuery', 'bigquery'),
  ...foreign('Databricks', 'databricks', 'spark'),
  ...foreign('Amazon Redshift', 'redshift'),
  ...foreign('Amazon Athena', 'awsathena', 'athena'),
  ...foreign('Cassandra', 'cassandra', 'scylla', 'cql', 'cqlsh'),
  ...foreign('Neo4j', 'neo4j', 'neo4js', 'bolt', 'bolts'),
  ...foreign('Elasticsearch', 'elasticsearch', 'elastic', 'opensearch'),
  ...foreign('CouchDB', 'couchdb', 'couchbase', 'couchbases'),
  ...foreign('DuckDB', 'duckdb', 'motherduck', 'md'),
  ...foreign('IBM Db2', 'db2', 'ibmdbsa'),
  ...foreign('Firebird', 'firebird', 'firebirdsql'),
  ...foreign('Trino', 'trino', 'presto', 'hive', 'hive2', 'impala'),
  ...foreign('Cloud Spanner', 'spanner', 'cloudspanner'),
  ...foreign('SAP HANA', 'hana', 'sap', 'hdbcli'),
  ...foreign('Teradata', 'teradata', 'teradatasql'),
  ...foreign('Vertica', 'vertica', 'verticapython'),
  ...foreign('InfluxDB', 'influxdb', 'influx'),
  ...foreign('SurrealDB', 'surrealdb', 'surreal'),
  ...foreign('H2', 'h2', 'hsqldb', 'derby'),
  ...foreign('RabbitMQ', 'amqp', 'amqps'),
  ...foreign('Kafka', 'kafka'),
  ...foreign('NATS', 'nats'),
  ...foreign('an FTP server', 'ftp', 'sftp', 'ftps'),
  ...foreign('an SSH server', 'ssh', 'git'),
  ...foreign('S3', 's3', 'gs'),
  ...foreign('LDAP', 'ldap', 'ldaps'),
  ...foreign('a mail server', 'smtp', 'smtps', 'mailto', 'imap'),
])

/** Throws {@link NotRecognised} if a name is the scheme of something that no driver opens. */
export function assertNotForeign(name: string): void {
  const [bare = ''] = name.toLowerCase().split('+')
  const title = FOREIGN.get(bare.replaceAll(/[^a-z\d]/g, ''))
  if (title !== undefined) throw foreignFault(title)
}

/** The fault of a connection string for something that no driver opens. */
export const foreignFault = (title: string) =>
  new NotRecognised(
    `This is the address of ${title}, and no driver here opens that. ${TAKEN}`,
    'engine',
    title,
  )
