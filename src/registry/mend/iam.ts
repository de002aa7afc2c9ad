import { certificateMend } from './certificate.ts'
import type { Mend, MendStep } from './mend.ts'
import { type About, engineOf, isOnMachine, type Problem, shellHost } from './problem.ts'
import { settingStep } from './setting.ts'
import { plainMend } from './unencrypted.ts'

/** What mends a login with a token of Amazon or Google, if the problem is one. It goes by the message. */
export function iamMend({ kind, message }: Problem, about: About): Mend | undefined {
  if (kind !== 'auth' && kind !== 'config') return undefined
  const [, service = ''] =
    /^The database refused the IAM token of ([A-Z]\w+(?: SQL)?) /.exec(message) ?? []
  if (Object.hasOwn(REFUSED, service)) {
    return {
      kind: 'login',
      sentence: `${engineOf(about).title} refuses the token. ${service} does not say why: its user may not log in by IAM, the account behind the token may not, or it is for another host.`,
      steps: REFUSED[service]!(about),
    }
  }
  if (/takes no login by IAM/.test(message)) {
    const { steps, ...mend } = certificateMend(about)
    return { ...mend, steps: isOnMachine(about) ? steps : [WITH_PASSWORD, ...steps] }
  }
  if (/A token goes over TLS only/.test(message)) {
    // Without encryption there is no login by IAM, and none through Hyperdrive.
    const { others: _, ...mend } = plainMend(about)
    return mend
  }
  const [, missing] = /^This deployment has no secret (\w{1,80}), which logs in/.exec(message) ?? []
  if (missing !== undefined) {
    return setup(`This deployment has no secret ${missing}, which logs in to this database.`, [
      secretStep(missing, about),
    ])
  }
  if (/ have a token of Google\./.test(message)) {
    return setup(
      'A token of Google opens every database of its service account, so only hosts that the deployment names get one. This host is not among them.',
      [
        hostsStep(about),
        isOnMachine(about)
          ? { say: 'Start it again. Then test again.' }
          : { say: 'Deploy. Then test again.', command: 'npm run deploy' },
      ],
    )
  }
  const [, key] =
    /(?:^Google refuses the key|^What) (?:that )?this deployment has as the secret (\w{1,80})/.exec(
      message,
    ) ?? []
  return key === undefined
    ? undefined
    : setup(message.slice(0, 500), [NEW_KEY, secretStep(key, about)])
}

const setup = (sentence: string, steps: readonly MendStep[]): Mend => ({
  kind: 'setup',
  sentence,
  steps,
})

const secretStep = (name: string, about: About): MendStep =>
  settingStep(
    about,
    name,
    'Set it: the command asks for it. For npm start, write it into .dev.vars instead, and start again. Then test again.',
  )

/** The variable with the hosts that get a token of Google. */
function hostsStep(about: About): MendStep {
  const host = shellHost(about)
  const named = host === 'HOST' ? { replace: ['HOST'] } : {}
  return isOnMachine(about)
    ? {
        say: 'If the host is yours, add it to this variable in the environment of npx tidegate, or in the file that --vars names, beside those that are there.',
        command: `GOOGLE_IAM_HOSTS=${host}`,
        ...named,
      }
    : {
        say: 'If the host is yours, add it to this list in wrangler.toml, beside those that are there.',
        command: `[vars]\nGOOGLE_IAM_HOSTS = "${host}"`,
        ...named,
      }
}

const NEW_KEY: MendStep = {
  say: 'Make a key for the service account, and take all of the file that it is written to.',
  command: 'gcloud iam service-accounts keys create key.json --iam-account ACCOUNT',
  replace: ['ACCOUNT'],
}

const WITH_PASSWORD: MendStep = {
  say: 'Hyperdrive takes no login by IAM. Make a user with a password that may only read, and use it in what follows. Where npm start runs on a machine that reaches the database, it trusts what NODE_EXTRA_CA_CERTS names, and IAM works.',
}

const PLAIN_NAME: MendStep = {
  say: 'The user in the connection string is that e-mail without .gserviceaccount.com, with %40 for its @.',
}

/** Whether a host is that of an instance, or of a cluster as Aurora has them. */
const kindOf = ({ host = '' }: About) => (/\.cluster-/.test(host) ? 'cluster' : 'instance')

const REFUSED: Readonly<Record<string, (about: About) => readonly MendStep[]>> = {
  RDS: (about) => [
    {
      say: 'Turn on IAM authentication for the database.',
      command: `aws rds modify-db-${kindOf(about)} --db-${kindOf(about)}-identifier NAME \\\n  --enable-iam-database-authentication --apply-immediately`,
      replace: ['NAME'],
    },
    engineOf(about).title === 'PostgreSQL'
      ? {
          say: 'Let the user log in by IAM, as an administrator.',
          command: 'GRANT rds_iam TO "USER";',
          replace: ['USER'],
        }
      : {
          say: 'Let the user log in by IAM, as an administrator. Its name has to be written as in the URL.',
          command: "CREATE USER 'USER'@'%' IDENTIFIED WITH AWSAuthenticationPlugin AS 'RDS';",
          replace: ['USER'],
        },
    {
      say: 'Let the key log in as this user: in IAM, give its owner a policy with the action rds-db:connect and this resource. ID is the resource ID of the database, which begins with db- or cluster-, and not its name.',
      command: 'arn:aws:rds-db:REGION:ACCOUNT:dbuser:ID/USER',
      replace: ['REGION', 'ACCOUNT', 'ID', 'USER'],
    },
    {
      say: 'Compare the host in the connection string with the endpoint that AWS shows. The token is for that host alone, and not for another name that leads there. The region has to be that of the database.',
    },
  ],
  'Cloud SQL': (about) => [
    {
      say: 'Turn on IAM authentication for the instance. This replaces its other flags: name those, too.',
      command:
        engineOf(about).title === 'PostgreSQL'
          ? 'gcloud sql instances patch INSTANCE --database-flags cloudsql.iam_authentication=on'
          : 'gcloud sql instances patch INSTANCE --database-flags cloudsql_iam_authentication=on',
      replace: ['INSTANCE'],
    },
    {
      say: 'Give the service account the role that logs in.',
      command:
        'gcloud projects add-iam-policy-binding PROJECT \\\n  --member serviceAccount:EMAIL --role roles/cloudsql.instanceUser',
      replace: ['PROJECT', 'EMAIL'],
    },
    {
      say:
        engineOf(about).title === 'PostgreSQL'
          ? 'Add it as a user. ACCOUNT is its e-mail without .gserviceaccount.com.'
          : 'Add it as a user. ACCOUNT is its e-mail.',
      command:
        'gcloud sql users create ACCOUNT --instance INSTANCE --type cloud_iam_service_account',
      replace: ['ACCOUNT', 'INSTANCE'],
    },
    engineOf(about).title === 'PostgreSQL'
      ? PLAIN_NAME
      : { say: 'The user in the connection string is what is before the @ of that e-mail.' },
  ],
  AlloyDB: () => [
    {
      say: 'Turn on IAM authentication for the instance: set its flag alloydb.iam_authentication to on.',
    },
    {
      say: 'Give the service account both roles that log in.',
      command: ['alloydb.databaseUser', 'serviceusage.serviceUsageConsumer']
        .map(
          (role) =>
            `gcloud projects add-iam-policy-binding PROJECT \\\n  --member serviceAccount:EMAIL --role roles/${role}`,
        )
        .join('\n'),
      replace: ['PROJECT', 'EMAIL'],
    },
    {
      say: 'Add it as a user. ACCOUNT is its e-mail without .gserviceaccount.com.',
      command:
        'gcloud alloydb users create ACCOUNT --cluster CLUSTER --region REGION --type IAM_BASED',
      replace: ['ACCOUNT', 'CLUSTER', 'REGION'],
    },
    PLAIN_NAME,
  ],
}
