/** A setup step: a setting that a deployment needs, and how to set it. */
export interface SetupStep {
  readonly id: 'key' | 'secret' | 'signIn' | 'database'
  readonly title: string
  readonly why: string
  /** Reason a value that is set cannot be used, in words that a stranger can read. */
  readonly ifFaulty?: string
  /** Message for a finished step. */
  readonly isSet: string
  /** Commands: on Cloudflare and on this machine, or for Node. */
  readonly ways: readonly SetupWay[]
  readonly advice?: string
  /** Page in the Console for the step, once someone can sign in there. */
  readonly page?: { readonly href: string; readonly text: string; readonly after: string }
}

interface SetupWay {
  readonly where: string
  readonly lines: readonly string[]
  readonly after: string
}

const CLOUDFLARE = 'On Cloudflare'
const HERE = 'On this machine'

const PASTE =
  'The first command prints it; the second asks for it. Without a terminal: in the dashboard, Settings → Variables and Secrets → Add, type Secret.'
const MADE =
  'It creates missing secrets and stores them in the file .dev.vars. To get a new one, delete its line there.'

/** Instructions for Cloudflare: a command that makes the value, and one that sets it. */
const onCloudflare = (make: string, name: string): SetupWay => ({
  where: CLOUDFLARE,
  lines: [make, `npx wrangler secret put ${name}`],
  after: PASTE,
})

const ON_MACHINE = 'On your machine'
const LINE =
  'The first command prints it. Set the second line in the environment of npx tidegate serve, or in the file that --vars names. Then restart it.'

/** Instructions for Node: a command that makes the value, and the variable to set. */
const onMachine = (make: string, name: string): readonly SetupWay[] => [
  { where: ON_MACHINE, lines: [make, `${name}=…`], after: LINE },
]

/** Steps to a database behind a sign-in. Each step needs the ones before it.
 *
 * @param isWorker true in a Worker, false on Node
 */
export function stepsAt(origin: string, isWorker: boolean): readonly SetupStep[] {
  const steps = stepsOfWorker(origin)
  return isWorker ? steps : steps.map((it) => ({ ...it, ways: waysOnMachine(origin)[it.id] }))
}

const waysOnMachine = (origin: string): Readonly<Record<SetupStep['id'], readonly SetupWay[]>> => ({
  key: onMachine('openssl rand -hex 32', 'TIDEGATE_KEY'),
  secret: onMachine('openssl rand -base64 32', 'TIDEGATE_SECRET'),
  signIn: onMachine('openssl rand -base64 18', 'TIDEGATE_PASSPHRASE'),
  database: [
    {
      where: ON_MACHINE,
      lines: [`npx tidegate endpoint add NAME --to ${origin}`],
      after:
        'It asks for the connection string and reads the admin key from the variable TIDEGATE_KEY. Or set it at the start: DATABASE_URL=postgres://… npx tidegate serve',
    },
  ],
})

function stepsOfWorker(origin: string): readonly SetupStep[] {
  return [
    {
      id: 'key',
      title: 'An admin key',
      why: 'It opens every endpoint and lets you add databases. Without it, Tidegate serves no database.',
      isSet: 'TIDEGATE_KEY is set.',
      ways: [
        onCloudflare('openssl rand -hex 32', 'TIDEGATE_KEY'),
        { where: HERE, lines: ['npm start'], after: MADE },
      ],
      advice: 'Store it with your passwords: the command line asks for it.',
    },
    {
      id: 'secret',
      title: 'An encryption secret',
      why: 'It encrypts stored connection strings and sign-ins. Use at least 32 characters.',
      ifFaulty: 'It is too easy to guess, so it is not used.',
      isSet: 'TIDEGATE_SECRET is set.',
      ways: [
        onCloudflare('openssl rand -base64 32', 'TIDEGATE_SECRET'),
        { where: HERE, lines: ['npm start'], after: MADE },
      ],
      advice: 'Keep a copy with your passwords. Without it, stored connection strings are lost.',
    },
    {
      id: 'signIn',
      title: 'A way to sign in',
      why: 'A passphrase of at least 15 characters that your team shares. Or accounts with Google, GitHub, Entra, Okta or another provider: see docs/sign-in-providers.md.',
      ifFaulty: 'Some people cannot sign in. Open /doctor with the admin key to see why.',
      isSet: 'It is set. Apps need only the URL.',
      ways: [
        onCloudflare('openssl rand -base64 18', 'TIDEGATE_PASSPHRASE'),
        {
          where: HERE,
          lines: [
            'umask 077; echo "TIDEGATE_PASSPHRASE=$(openssl rand -base64 18)" >> .dev.vars',
            'npm start',
          ],
          after: 'You then find the passphrase in the file .dev.vars.',
        },
      ],
    },
    {
      id: 'database',
      title: 'A database',
      why: 'Give Tidegate a read-only role. Until then, it serves a demo store.',
      isSet: 'A database is connected.',
      page: {
        href: '/console/add',
        text: 'Add a database',
        after: 'In the Console: paste its connection string and test it.',
      },
      ways: [
        {
          where: CLOUDFLARE,
          lines: [`npx tidegate endpoint add NAME --to ${origin}`],
          after:
            'It asks for the connection string and reads the admin key from the variable TIDEGATE_KEY. Or, for one database: npx wrangler secret put DATABASE_URL',
        },
        {
          where: HERE,
          lines: [`npx tidegate endpoint add NAME --to ${origin}`],
          after:
            'It asks for the connection string. Or set it at the start: DATABASE_URL=postgresql://… npm start',
        },
      ],
    },
  ]
}
