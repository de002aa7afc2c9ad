import type { FixPlace, FixStep } from '../fix.ts'

type RefusedToken = (
  about: FixPlace,
  protocol: 'postgresql' | 'mysql' | undefined,
) => readonly FixStep[]

const PLAIN_NAME: FixStep = {
  message:
    'The user in the connection string is that email address without .gserviceaccount.com, with %40 for its @.',
}

/** Distinguishes an instance's host from an Aurora cluster's. */
const kindOf = ({ host = '' }: FixPlace) => (/\.cluster-/.test(host) ? 'cluster' : 'instance')

/** Steps that let a user log in, for each service. */
export const refusedTokens: Readonly<Record<string, RefusedToken>> = {
  RDS: (about, protocol) => [
    {
      message: 'Turn on IAM authentication for the database.',
      command: `aws rds modify-db-${kindOf(about)} --db-${kindOf(about)}-identifier NAME \\\n  --enable-iam-database-authentication --apply-immediately`,
      replace: ['NAME'],
    },
    protocol !== 'mysql'
      ? {
          message: 'As an administrator, let the user log in with IAM.',
          command: 'GRANT rds_iam TO "USER";',
          replace: ['USER'],
        }
      : {
          message:
            'As an administrator, let the user log in with IAM. Write its name as it is in the URL.',
          command: "CREATE USER 'USER'@'%' IDENTIFIED WITH AWSAuthenticationPlugin AS 'RDS';",
          replace: ['USER'],
        },
    {
      message:
        'Let the key log in as this user: in IAM, give its owner a policy with the action rds-db:connect and this resource. ID is the resource ID of the database, which begins with db- or cluster-, not its name.',
      command: 'arn:aws:rds-db:REGION:ACCOUNT:dbuser:ID/USER',
      replace: ['REGION', 'ACCOUNT', 'ID', 'USER'],
    },
    {
      message:
        'Compare the host in the connection string with the endpoint that AWS shows. The token is valid only for that host, not for another name for the same server. The region must be the one that the database is in.',
    },
  ],
  'Cloud SQL': (_, protocol) => [
    {
      message:
        'Turn on IAM authentication for the instance. This replaces its other flags, so include those, too.',
      command:
        protocol !== 'mysql'
          ? 'gcloud sql instances patch INSTANCE --database-flags cloudsql.iam_authentication=on'
          : 'gcloud sql instances patch INSTANCE --database-flags cloudsql_iam_authentication=on',
      replace: ['INSTANCE'],
    },
    {
      message: 'Give the service account the role for logging in.',
      command:
        'gcloud projects add-iam-policy-binding PROJECT \\\n  --member serviceAccount:EMAIL --role roles/cloudsql.instanceUser',
      replace: ['PROJECT', 'EMAIL'],
    },
    {
      message:
        protocol !== 'mysql'
          ? 'Add it as a user. ACCOUNT is its email address without .gserviceaccount.com.'
          : 'Add it as a user. ACCOUNT is its email address.',
      command:
        'gcloud sql users create ACCOUNT --instance INSTANCE --type cloud_iam_service_account',
      replace: ['ACCOUNT', 'INSTANCE'],
    },
    protocol !== 'mysql'
      ? PLAIN_NAME
      : { message: 'The user in the connection string is the part before the @ of that address.' },
  ],
  AlloyDB: () => [
    {
      message:
        'Turn on IAM authentication for the instance: set its flag alloydb.iam_authentication to on.',
    },
    {
      message: 'Give the service account both roles for logging in.',
      command: ['alloydb.databaseUser', 'serviceusage.serviceUsageConsumer']
        .map(
          (role) =>
            `gcloud projects add-iam-policy-binding PROJECT \\\n  --member serviceAccount:EMAIL --role roles/${role}`,
        )
        .join('\n'),
      replace: ['PROJECT', 'EMAIL'],
    },
    {
      message: 'Add it as a user. ACCOUNT is its email address without .gserviceaccount.com.',
      command:
        'gcloud alloydb users create ACCOUNT --cluster CLUSTER --region REGION --type IAM_BASED',
      replace: ['ACCOUNT', 'CLUSTER', 'REGION'],
    },
    PLAIN_NAME,
  ],
}
