/** What to set, and how, where a deployment lacks it. */
export interface Step {
  readonly id: 'key' | 'secret' | 'signIn' | 'database'
  readonly title: string
  readonly why: string
  /** Why it cannot be used although it is set, as far as a stranger may know. */
  readonly ifFaulty?: string
  /** What is true once it is set. */
  readonly isSet: string
  /** On Cloudflare, and on this machine; or where Node runs it. */
  readonly ways: readonly Way[]
  readonly advice?: string
  /** The page of the Console that does it, once somebody can sign in there. */
  readonly page?: { readonly href: string; readonly text: string; readonly after: string }
}

interface Way {
  readonly where: string
  readonly lines: readonly string[]
  readonly after: string
}

const CLOUDFLARE = 'On Cloudflare'
const HERE = 'On this machine'

const PASTE =
  'The first line prints it, the second asks for it. Without a terminal: in the dashboard, Settings → Variables and Secrets → Add, type Secret.'
const MADE =
  'It makes what is missing, and keeps it in the file .dev.vars. Take a line out there to have another made.'

const ON_MACHINE = 'Where it was started'
const LINE =
  'The first line prints it. Set the second in the environment of npx tidegate serve, or write it into the file that --vars names. Then start it again.'

/** What to set where Node runs it: by the step, how its value is made. */
const onMachine = (make: string, name: string): readonly Way[] => [
  { where: ON_MACHINE, lines: [make, `${name}=…`], after: LINE },
]

/**
 * The steps to a database behind a sign-in, in the order in which each needs those before it.
 *
 * @param isWorker whether it runs in a Worker, and not on a machine
 */
export function stepsAt(origin: string, isWorker: boolean): readonly Step[] {
  const steps = stepsOfWorker(origin)
  return isWorker ? steps : steps.map((it) => ({ ...it, ways: waysOnMachine(origin)[it.id] }))
}

const waysOnMachine = (origin: string): Readonly<Record<Step['id'], readonly Way[]>> => ({
  key: onMachine('openssl rand -hex 32', 'TIDEGATE_KEY'),
  secret: onMachine('openssl rand -base64 32', 'TIDEGATE_SECRET'),
  signIn: onMachine('openssl rand -base64 18', 'TIDEGATE_PASSPHRASE'),
  database: [
    {
      where: ON_MACHINE,
      lines: [`npx tidegate endpoint add NAME --to ${origin}`],
      after:
        'It asks for the connection string, and takes the key from the variable TIDEGATE_KEY. Or start with one: DATABASE_URL=postgres://… npx tidegate serve',
    },
  ],
})

function stepsOfWorker(origin: string): readonly Step[] {
  return [
    {
      id: 'key',
      title: 'A key for the operator',
      why: 'It opens every endpoint, and adds databases. Without it, no database is served.',
      isSet: 'TIDEGATE_KEY is set.',
      ways: [
        {
          where: CLOUDFLARE,
          lines: ['openssl rand -hex 32', 'npx wrangler secret put TIDEGATE_KEY'],
          after: PASTE,
        },
        { where: HERE, lines: ['npm start'], after: MADE },
      ],
      advice: 'Keep it with your passwords: the command line asks for it.',
    },
    {
      id: 'secret',
      title: 'A secret that seals what is stored',
      why: 'Connection strings and sign-ins are encrypted with it. It has at least 32 characters.',
      ifFaulty: 'It is too easy to guess, so nothing is sealed with it.',
      isSet: 'TIDEGATE_SECRET is set.',
      ways: [
        {
          where: CLOUDFLARE,
          lines: ['openssl rand -base64 32', 'npx wrangler secret put TIDEGATE_SECRET'],
          after: PASTE,
        },
        { where: HERE, lines: ['npm start'], after: MADE },
      ],
      advice:
        'Keep a copy with your passwords. Without it, nobody reads stored connection strings again.',
    },
    {
      id: 'signIn',
      title: 'A way to sign in',
      why: 'A passphrase of at least 15 characters, which your team shares. Or the accounts that people have, with Google, GitHub, Entra, Okta or another provider: docs/sign-in-providers.md says how.',
      ifFaulty: 'Not everybody can sign in who should. With the key, /doctor says why.',
      isSet: 'It is set. Apps take the URL alone.',
      ways: [
        {
          where: CLOUDFLARE,
          lines: ['openssl rand -base64 18', 'npx wrangler secret put TIDEGATE_PASSPHRASE'],
          after: PASTE,
        },
        {
          where: HERE,
          lines: [
            'echo "TIDEGATE_PASSPHRASE=$(openssl rand -base64 18)" >> .dev.vars',
            'npm start',
          ],
          after: 'The passphrase is then in the file .dev.vars.',
        },
      ],
    },
    {
      id: 'database',
      title: 'A database',
      why: 'Give Tidegate a role that may only read. Until then the demo store answers.',
      isSet: 'There is a database.',
      page: {
        href: '/console/add',
        text: 'Add a database',
        after: 'In the Console: paste its connection string, and see that it works.',
      },
      ways: [
        {
          where: CLOUDFLARE,
          lines: [`npx tidegate endpoint add NAME --to ${origin}`],
          after:
            'It asks for the connection string, and takes the key from the variable TIDEGATE_KEY. Or, for one database: npx wrangler secret put DATABASE_URL',
        },
        {
          where: HERE,
          lines: [`npx tidegate endpoint add NAME --to ${origin}`],
          after:
            'It asks for the connection string. Or start with one: DATABASE_URL=postgresql://… npm start',
        },
      ],
    },
  ]
}
