/** A provider whose servers are recognized by host name. */
export interface Service {
  readonly title: string
  /** Suffixes of its host names. */
  readonly ends: readonly string[]
  /** Its private CA, which signs its certificates. A Worker cannot trust it. */
  readonly authority?: Authority
  /** Message about servers that stop and start again. */
  readonly asleep?: string
  /** Message about the place where a person finds the password. */
  readonly password?: string
}

/** A CA that signs only for its provider's servers, and the source of its certificates. */
export interface Authority {
  /** A command that saves them as FILE, with words for a person to replace. */
  readonly save?: string
  readonly replace?: readonly string[]
  /** The place where a person finds them. */
  readonly where?: string
}

/** The services that run several engines. */
export const SERVICES: readonly Service[] = [
  {
    title: 'Amazon RDS',
    ends: ['.rds.amazonaws.com', '.rds.amazonaws.com.cn'],
    authority: {
      save: 'curl -so FILE https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem',
    },
    asleep:
      'An RDS database can be stopped to save cost: check in the RDS console that it is available.',
  },
  {
    title: 'DigitalOcean',
    ends: ['.db.ondigitalocean.com'],
    authority: {
      save: 'doctl databases get-ca CLUSTER --format Certificate --no-header > FILE',
      replace: ['CLUSTER'],
    },
  },
  {
    title: 'Aiven',
    ends: ['.aivencloud.com'],
    authority: {
      save: 'avn project ca-get --project PROJECT --target-filepath FILE',
      replace: ['PROJECT'],
    },
    asleep: 'Aiven powers off free services that are not used: power it on in its console.',
  },
  {
    title: 'Google Cloud SQL',
    ends: ['.sql.goog'],
    authority: {
      save: 'gcloud sql instances describe INSTANCE --format="value(serverCaCert.cert)" > FILE',
      replace: ['INSTANCE'],
    },
  },
  {
    title: 'Azure',
    ends: ['.database.azure.com'],
    asleep: 'An Azure server can be stopped to save cost: start it in the portal.',
  },
  {
    title: 'Render',
    ends: ['.render.com'],
    asleep:
      'Render ends free databases after a month: check in its console that it is still there.',
  },
  { title: 'Railway', ends: ['.railway.app', '.rlwy.net', '.railway.internal'] },
  { title: 'Fly.io', ends: ['.fly.dev', '.flycast', '.fly.io'] },
]

/** Finds the service that a host belongs to. */
export function serviceOf(host: string, services: readonly Service[]): Service | undefined {
  const name = host.toLowerCase()
  return services.find(({ ends }) => ends.some((it) => name.endsWith(it)))
}
