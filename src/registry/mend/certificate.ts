import { throughHyperdrive, throughTunnel } from './hyperdrive.ts'
import type { Mend, MendStep } from './mend.ts'
import { type About, engineOf, nameOf } from './problem.ts'

/** Where the certificates of an authority are that signs for its own servers only. */
const AUTHORITIES: readonly {
  readonly ends: string
  readonly who: string
  readonly url?: string
}[] = [
  {
    ends: '.rds.amazonaws.com',
    who: 'Amazon',
    url: 'https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem',
  },
  { ends: '.supabase.co', who: 'Supabase' },
  { ends: '.supabase.com', who: 'Supabase' },
  { ends: '.aivencloud.com', who: 'Aiven' },
  { ends: '.ondigitalocean.com', who: 'DigitalOcean' },
]

/** A server whose certificate no Worker trusts. */
export function certificateMend(about: About): Mend {
  const { host = '' } = about
  const engine = engineOf(about)
  const authority = AUTHORITIES.find(({ ends }) => host.endsWith(ends))
  const who = authority
    ? `${authority.who} signs these certificates itself.`
    : 'It is signed by an authority of its own, or is for another name.'
  const sentence = `The certificate of the server cannot be trusted. ${who} A Worker trusts public authorities only, and cannot be told of another one. The password was not sent.`
  return engine.hyperdrive
    ? {
        kind: 'certificate',
        sentence,
        steps: [fetched(about, authority), ...uploaded(about)],
        others: [...supabaseApi(about), ...publicCertificate],
      }
    : { kind: 'certificate', sentence, steps: publicCertificate }
}

function fetched(about: About, authority: (typeof AUTHORITIES)[number] | undefined): MendStep {
  const file = `${nameOf(about)}.pem`
  const upload = `npx wrangler cert upload certificate-authority \\\n  --name ${nameOf(about)} --ca-cert ${file}`
  return authority?.url
    ? {
        say: 'Put Hyperdrive in front of it, which can be told of an authority. First give Cloudflare the certificate of the authority: the command prints its id.',
        command: `curl -so ${file} ${authority.url}\n${upload}`,
      }
    : {
        say: `Put Hyperdrive in front of it, which can be told of an authority. Save the certificate of the authority as ${file}: ${authority ? `the console of ${authority.who} has it` : 'whoever runs the server has it'}. The command gives it to Cloudflare, and prints its id.`,
        command: upload,
      }
}

const uploaded = (about: About): readonly MendStep[] =>
  throughHyperdrive(
    about,
    ['--sslmode verify-full --ca-certificate-id ID', '--connection-string "STRING"'],
    ['ID', 'STRING'],
  )

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

const publicCertificate: readonly MendStep[] = [
  {
    say: 'Give the server a certificate of a public authority, such as Let’s Encrypt, for the name that is in the connection string; or put a proxy with such a certificate in front of it.',
  },
]

/** A server that does not encrypt. */
export function plainMend(about: About): Mend {
  const engine = engineOf(about)
  const off = engine.hyperdrive ? 'sslmode=disable' : 'ssl-mode=DISABLED'
  return {
    kind: 'no_tls',
    sentence: `The server answers, and does not encrypt. ${engine.title} would get the password and send the rows as plain text, so nothing was sent.`,
    steps: [
      engine.hyperdrive
        ? {
            say: 'Turn on encryption in the server, with a certificate of a public authority for its name. As an administrator, once the files are there:',
            command: 'ALTER SYSTEM SET ssl = on;\nSELECT pg_reload_conf();',
          }
        : {
            say: 'Turn on encryption in the server, with a certificate of a public authority for its name. In its settings, and then start it again:',
            command: '[mysqld]\nssl_cert=/etc/mysql/server.pem\nssl_key=/etc/mysql/server.key',
          },
    ],
    others: [
      ...(engine.hyperdrive ? throughTunnel(about, about.port ?? engine.port) : []),
      {
        say: `Where the way to the server is private, as on one machine, the connection string may end in ${off}.`,
        command: `?${off}`,
      },
    ],
  }
}
