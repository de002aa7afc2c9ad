import { throughHyperdrive } from './hyperdrive.ts'
import type { Mend, MendStep } from './mend.ts'
import { type About, engineOf, isOnMachine, nameOf } from './problem.ts'

/** An authority that signs for its own servers only, and where its certificates are. */
interface Authority {
  readonly who: string
  /** The end of the host of a server, or the issuer that its certificate names. */
  readonly ends?: string
  readonly issuer?: RegExp
  /** A command that saves them as FILE, with words that a person replaces. */
  readonly save?: string
  readonly replace?: readonly string[]
  /** Where a person finds them. */
  readonly where?: string
}

/** The hosts come before the issuers, which several have in common. */
const AUTHORITIES: readonly Authority[] = [
  {
    who: 'Amazon',
    ends: '.rds.amazonaws.com',
    issuer: /Amazon RDS/,
    save: 'curl -so FILE https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem',
  },
  ...['.supabase.co', '.supabase.com'].map((ends) => ({
    who: 'Supabase',
    ends,
    issuer: /Supabase/,
    where: 'the settings of the database at Supabase have it, under SSL Configuration',
  })),
  {
    who: 'DigitalOcean',
    ends: '.ondigitalocean.com',
    save: 'doctl databases get-ca CLUSTER --format Certificate --no-header > FILE',
    replace: ['CLUSTER'],
  },
  {
    who: 'Aiven',
    ends: '.aivencloud.com',
    issuer: /Project CA/,
    save: 'avn project ca-get --project PROJECT --target-filepath FILE',
    replace: ['PROJECT'],
  },
  {
    who: 'Google Cloud SQL',
    issuer: /Google Cloud SQL/,
    save: 'gcloud sql instances describe INSTANCE --format="value(serverCaCert.cert)" > FILE',
    replace: ['INSTANCE'],
  },
  {
    who: 'MySQL',
    issuer: /^MySQL_Server_.*_Auto_Generated_CA/,
    where: 'it is ca.pem in the data directory of the server, which made it itself',
  },
]

/** A server whose certificate no Worker trusts. */
export function certificateMend(about: About): Mend {
  const { certificate } = about
  const kind = 'certificate' as const
  const authority = authorityOf(about)
  const sentence = certificate
    ? `${certificate.sentence} The password was not sent.`
    : `The certificate of the server cannot be trusted. ${authority ? `${authority.who} signs these certificates itself.` : 'It is signed by an authority of its own, or is for another name.'} ${isOnMachine(about) ? 'This machine has to be told of it.' : 'A Worker trusts public authorities only, and cannot be told of another one.'} The password was not sent.`
  const own = ownSteps(about, authority)
  if (own) return { kind, sentence, steps: own }
  if (isOnMachine(about)) {
    return { kind, sentence, steps: toldHere(about, authority), others: publicCertificate }
  }
  return engineOf(about).hyperdrive
    ? {
        kind,
        sentence,
        steps: [fetched(about, authority), ...uploaded(about)],
        others: [...supabaseApi(about), ...publicCertificate, trustedHere(about)],
      }
    : { kind, sentence, steps: publicCertificate, others: [trustedHere(about)] }
}

function authorityOf({ host = '', certificate }: About): Authority | undefined {
  const issuer = certificate?.issuer ?? ''
  return (
    AUTHORITIES.find(({ ends }) => ends !== undefined && host.endsWith(ends)) ??
    AUTHORITIES.find((it) => it.issuer?.test(issuer))
  )
}

/** What mends a certificate that Hyperdrive would not take either, or that another name is for. */
function ownSteps(about: About, authority: Authority | undefined): readonly MendStep[] | undefined {
  const { title } = engineOf(about)
  const { fault = 'unknown', names = [], isOwn } = about.certificate ?? {}
  if (fault === 'old') {
    return [
      {
        say: `Let the server speak TLS 1.2 or 1.3. Where its settings do not have them, it needs a newer ${title} or OpenSSL.`,
      },
    ]
  }
  if (fault === 'expired' || fault === 'early') {
    const read = { PostgreSQL: 'SELECT pg_reload_conf();', MariaDB: 'FLUSH SSL;' }[title]
    return [
      {
        say: 'Put a certificate into the server that is valid now, or let its provider do so. Then have the server read it, as an administrator:',
        command: read ?? 'ALTER INSTANCE RELOAD TLS;',
      },
    ]
  }
  if (fault === 'name' && !authority && !isOwn && names.length > 0) {
    return [
      {
        say: 'Put in the connection string again, with a name that the certificate is for. Or give the server a certificate for the name that is in it.',
      },
    ]
  }
  return undefined
}

function fetched(about: About, authority: Authority | undefined): MendStep {
  const file = `${nameOf(about)}.pem`
  const upload = `npx wrangler cert upload certificate-authority \\\n  --name ${nameOf(about)} --ca-cert ${file}`
  if (authority?.save) {
    return {
      say: 'Put Hyperdrive in front of it, which can be told of an authority. First give Cloudflare the certificate of the authority: the last command prints its id.',
      command: `${authority.save.replace('FILE', file)}\n${upload}`,
      ...(authority.replace && { replace: authority.replace }),
    }
  }
  return {
    say: `Put Hyperdrive in front of it, which can be told of an authority. Save the certificate of the authority as ${file}: ${authority?.where ?? 'whoever runs the server has it'}. The command gives it to Cloudflare, and prints its id.`,
    command: upload,
  }
}

/** A certificate for another name is compared with the authority alone. */
function uploaded(about: About): readonly MendStep[] {
  const isOtherName = about.certificate?.fault === 'name'
  const mode =
    engineOf(about).hyperdrive === 'mysql'
      ? ['VERIFY_CA', 'VERIFY_IDENTITY']
      : ['verify-ca', 'verify-full']
  return throughHyperdrive(
    about,
    [
      `--sslmode ${mode[isOtherName ? 0 : 1]} --ca-certificate-id ID`,
      '--connection-string "STRING"',
    ],
    ['ID', 'STRING'],
    about.scheme === 'mariadb' ? ' Its string begins with mysql:// there.' : '',
  )
}

function supabaseApi({ host = '' }: About): readonly MendStep[] {
  if (!/\.supabase\.com?$/.test(host)) return []
  const ref = /^db\.([a-z]{20})\.supabase\.co$/.exec(host)?.[1]
  return [
    {
      say: "Ask Supabase's API instead, which needs no certificate: with an access token that may only read this project. Its role reads every table.",
      command: `supabase://:TOKEN@${ref ?? 'REF'}`,
      replace: ref ? ['TOKEN'] : ['TOKEN', 'REF'],
    },
  ]
}

/** Only `npm start` can be told of an authority, and Hyperdrive reaches no server of one's own machine. */
const trustedHere = (about: About): MendStep => ({
  say: 'If this deployment is npm start on your machine, name the file with the certificate of the authority, and start it again.',
  command: `NODE_EXTRA_CA_CERTS=${nameOf(about)}.pem npm start`,
})

/** A machine trusts the authority that a file names. */
function toldHere(about: About, authority: Authority | undefined): readonly MendStep[] {
  const file = `${nameOf(about)}.pem`
  const { save, replace, where = 'whoever runs the server has it' } = authority ?? {}
  return [
    save
      ? {
          say: 'Save the certificate of the authority.',
          command: save.replace('FILE', file),
          ...(replace && { replace }),
        }
      : { say: `Save the certificate of the authority as ${file}: ${where}.` },
    {
      say: 'Name the file where npx tidegate is started, and start it again with its other options.',
      command: `NODE_EXTRA_CA_CERTS=${file} npx tidegate serve`,
    },
  ]
}

const publicCertificate: readonly MendStep[] = [
  {
    say: 'Give the server a certificate of a public authority, such as Let’s Encrypt, for the name that is in the connection string; or put a proxy with such a certificate in front of it.',
  },
]
