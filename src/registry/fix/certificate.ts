import type { Fix, FixStep, Service } from '../../database/index.ts'
import { throughHyperdrive, throughTunnel } from './hyperdrive.ts'
import { isOnMachine, type KnownFacts, nameOf } from './problem.ts'

/** Fix for a server with a certificate that is not trusted here. */
export function certificateFix(about: KnownFacts): Fix {
  const kind = 'certificate' as const
  const authority = about.service?.authority
  const sentence = `The server’s certificate cannot be trusted. ${authority ? `${about.service?.title} signs these certificates itself.` : 'It has expired, is signed by a private authority, or is for another name.'} ${isOnMachine(about) ? 'This machine must be told to trust another authority.' : 'A Worker trusts only public authorities, and cannot be told to trust another one.'} The password was not sent.`
  if (isOnMachine(about)) {
    return { kind, sentence, steps: toldHere(about, authority), others: publicCertificate }
  }
  return about.hyperdrive
    ? {
        kind,
        sentence,
        steps: [fetched(about, authority), ...uploaded(about)],
        others: [
          lookedAt,
          ...(about.engine.instead?.(about) ?? []),
          ...publicCertificate,
          trustedHere(about),
        ],
      }
    : { kind, sentence, steps: publicCertificate, others: [trustedHere(about)] }
}

/** Step that shows who signed the certificate. A Worker cannot see a server's certificate. */
const lookedAt: FixStep = {
  message:
    'To see who signed it, and when it expires, run this where the database can be reached, with DATABASE_URL set to its connection string.',
  command: 'npx tidegate doctor',
}

function fetched(about: KnownFacts, authority: Service['authority']): FixStep {
  const file = `${nameOf(about)}.pem`
  const upload = `npx wrangler cert upload certificate-authority \\\n  --name ${nameOf(about)} --ca-cert ${file}`
  if (authority?.save) {
    return {
      message:
        'Put Hyperdrive in front of it, which can trust an authority of your choice. First give Cloudflare the authority’s certificate: the last command prints its id.',
      command: `${authority.save.replace('FILE', file)}\n${upload}`,
      ...(authority.replace && { replace: authority.replace }),
    }
  }
  return {
    message: `Put Hyperdrive in front of it, which can trust an authority of your choice. Save the authority’s certificate as ${file}: ${authority?.where ?? 'the server’s administrator has it'}. The command gives it to Cloudflare, and prints its id.`,
    command: upload,
  }
}

/** Steps to upload the authority's certificate. */
function uploaded(about: KnownFacts): readonly FixStep[] {
  const [authority, name] = about.engine.sslModes ?? []
  const prefix = about.engine.hyperdriveNote?.(about) ?? ''
  return throughHyperdrive(
    about,
    [`--sslmode ${name} --ca-certificate-id ID`, '--connection-string "STRING"'],
    ['ID', 'STRING'],
    `${prefix} If the certificate is for another name, as at Cloud SQL, the mode is ${authority}.`,
  )
}

/** Step to serve from your own machine, because a Worker cannot trust additional authorities. */
const trustedHere = (about: KnownFacts): FixStep => ({
  message:
    'Or serve from your own machine, which can trust the authority’s certificate from a file.',
  command: `NODE_EXTRA_CA_CERTS=${nameOf(about)}.pem npm start`,
})

/** Steps for a machine, which can trust an authority from a file. */
function toldHere(about: KnownFacts, authority: Service['authority']): readonly FixStep[] {
  const file = `${nameOf(about)}.pem`
  const { save, replace, where = 'the server’s administrator has it' } = authority ?? {}
  return [
    save
      ? {
          message: 'Save the authority’s certificate.',
          command: save.replace('FILE', file),
          ...(replace && { replace }),
        }
      : { message: `Save the authority’s certificate as ${file}: ${where}.` },
    {
      message:
        'Start npx tidegate again with this variable, which names the file, and with its other options.',
      command: `NODE_EXTRA_CA_CERTS=${file} npx tidegate serve`,
    },
  ]
}

const publicCertificate: readonly FixStep[] = [
  {
    message:
      'Give the server a certificate from a public authority, such as Let’s Encrypt, for the name in the connection string. Or put a proxy with such a certificate in front of it.',
  },
]

/** Fix for a server without encryption. */
export function plainFix(about: KnownFacts): Fix {
  const { title, port, encryption } = about.engine
  return {
    kind: 'no_tls',
    sentence: `The server answers, but does not encrypt. ${title} would get the login and send the rows as plain text, so nothing was sent.`,
    steps: [encryption?.step ?? TURN_ON],
    others: [
      ...(about.hyperdrive ? throughTunnel(about, about.port ?? port) : []),
      ...(encryption
        ? [
            {
              message: `If the network to the server is private, as on one machine, the connection string can end in ${encryption.without}.`,
              command: `?${encryption.without}`,
            },
          ]
        : []),
    ],
  }
}

const TURN_ON: FixStep = {
  message:
    'Turn on encryption on the server, with a certificate from a public authority for its name.',
}
