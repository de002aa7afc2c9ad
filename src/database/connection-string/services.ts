/** A company whose servers are known by their names. */
export interface Service {
  readonly title: string
  /** What the names of its hosts end in. */
  readonly ends: readonly string[]
  /** Whether its servers have certificates of an authority of its own, which a Worker cannot trust. */
  readonly ownAuthority?: boolean
  /** Where its authority's certificates are. */
  readonly authority?: string
}

const SERVICES: readonly Service[] = [
  {
    title: 'Amazon RDS',
    ends: ['.rds.amazonaws.com', '.rds.amazonaws.com.cn'],
    ownAuthority: true,
    authority: 'https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem',
  },
  { title: 'Supabase', ends: ['.supabase.co', '.supabase.com'], ownAuthority: true },
  { title: 'Neon', ends: ['.neon.tech', '.neon.build'] },
  { title: 'PlanetScale', ends: ['.psdb.cloud'] },
  { title: 'Turso', ends: ['.turso.io'] },
  { title: 'ClickHouse Cloud', ends: ['.clickhouse.cloud'] },
  { title: 'DigitalOcean', ends: ['.db.ondigitalocean.com'], ownAuthority: true },
  { title: 'Aiven', ends: ['.aivencloud.com'], ownAuthority: true },
  { title: 'Azure', ends: ['.database.azure.com'] },
  { title: 'Render', ends: ['.render.com'] },
  { title: 'Railway', ends: ['.railway.app', '.rlwy.net', '.railway.internal'] },
  { title: 'Fly.io', ends: ['.fly.dev', '.flycast', '.fly.io'] },
  { title: 'Timescale', ends: ['.timescale.com', '.tsdb.cloud.timescale.com'] },
  { title: 'Crunchy Bridge', ends: ['.postgresbridge.com'] },
  { title: 'CockroachDB Cloud', ends: ['.cockroachlabs.cloud'] },
  { title: 'TiDB Cloud', ends: ['.tidbcloud.com'] },
  { title: 'Xata', ends: ['.xata.sh', '.xata.tech'] },
  { title: 'Prisma Postgres', ends: ['.prisma.io', '.prisma-data.net'] },
  { title: 'Tinybird', ends: ['.tinybird.co'] },
]

/** The service that a host belongs to. */
export function serviceOf(host: string): Service | undefined {
  const name = host.toLowerCase()
  return SERVICES.find(({ ends }) => ends.some((it) => name.endsWith(it)))
}
