import type { Fix } from '../../database/index.ts'
import { type FixProblem, isOnMachine, type KnownFacts, serverOf } from './problem.ts'
import { settingStep, setup } from './setting.ts'

/** Fix for a missing database. */
export function databaseFix(about: KnownFacts): Fix {
  const { title, database, listDatabases } = about.engine
  const whole = database?.(about)
  if (whole) return { kind: 'database', ...whole }
  if (about.scheme === 'hyperdrive') {
    return {
      kind: 'database',
      sentence: 'The server behind Hyperdrive has no database with the name that Hyperdrive uses.',
      steps: [
        {
          message:
            'Check which name it has, and give it the right one: npx wrangler hyperdrive update ID --database NAME.',
          command: 'npx wrangler hyperdrive list',
        },
      ],
    }
  }
  return {
    kind: 'database',
    sentence: `${title} accepts the login, but has no database with this name, or does not show it to this user.`,
    steps: [
      ...(listDatabases
        ? [
            {
              message: 'List the names. Case matters.',
              command: listDatabases(about, serverOf(about)),
              replace: ['HOST', 'USER'],
            },
          ]
        : []),
      { message: 'Enter the connection string again, with the right name after the host.' },
    ],
  }
}

/** Fix for a secret that the deployment does not have, or that does not hold a URL. */
export function secretFix(about: KnownFacts): Fix {
  const name = nameIn(about)
  return setup(
    `The deployment has no ${isOnMachine(about) ? 'variable' : 'secret'} ${name}, or it does not hold a database URL.`,
    settingStep(about, name, 'Set it to the connection string: the command asks for it.'),
  )
}

/** Fix for a binding that the deployment does not have. */
export function bindingFix(about: KnownFacts): Fix {
  const { scheme } = about
  const name = nameIn(about)
  const [what, list, table, id] =
    scheme === 'd1'
      ? ['D1 database', 'npx wrangler d1 list', 'd1_databases', 'database_id']
      : ['Hyperdrive', 'npx wrangler hyperdrive list', 'hyperdrive', 'id']
  if (isOnMachine(about)) {
    const message = 'Enter the connection string of the database itself.'
    return setup(`${what} is bound to Workers, and this deployment is not one.`, { message })
  }
  return setup(
    `This deployment has no ${what} bound as ${name}.`,
    { message: 'Find its id.', command: list },
    {
      message: 'Write it into wrangler.toml.',
      command: `[[${table}]]\nbinding = "${name}"\n${id} = "ID"`,
      replace: ['ID'],
    },
    {
      message: 'Deploy, so that the Worker has the binding. Then test again.',
      command: 'npm run deploy',
    },
  )
}

const nameIn = ({ binding = '' }: KnownFacts): string =>
  /^\w{1,60}$/.test(binding) ? binding : 'BINDING'

/** Fix for a connection string that cannot be decrypted. */
export const sealedFix = (about: KnownFacts): Fix =>
  setup(
    'The connection string was sealed with another TIDEGATE_SECRET, so nobody can read it.',
    settingStep(
      about,
      'TIDEGATE_SECRET_PREVIOUS',
      'Set that secret in addition to the current one, if you still have it.',
    ),
    { message: 'Or enter the connection string again.' },
  )

/** Fix for a deployment that cannot seal, and so cannot open what it sealed before. */
export const sealingSecretFix = ({ message }: FixProblem, about: KnownFacts): Fix =>
  setup(
    message,
    settingStep(about, 'TIDEGATE_SECRET', 'Set it to what that prints. Then test again.'),
  )

/** Fix for a query that took too long. */
export const slowFix = (about: KnownFacts): Fix => ({
  kind: 'slow',
  sentence: `${about.engine.title} did not answer in time. It is busy, it is just starting, or it is far away.`,
  steps: [
    { message: 'Test again in a minute.' },
    {
      message:
        'If it is always slow, give it more time in the endpoint’s settings: timeoutMs, up to 55,000.',
    },
  ],
})

/** Fix for a role that cannot see its own rights, or the tables. */
export const rightsFix = (about: KnownFacts): Fix => ({
  kind: 'rights',
  sentence: `The login works, but ${about.engine.title} did not answer queries about the role.`,
  steps: [
    {
      message:
        'Give the endpoint its own role that can read the tables. /doctor prints the SQL that creates one.',
    },
  ],
})

/** Fix for an internal fault. */
export const oursFix = ({ message }: FixProblem, about: KnownFacts): Fix => ({
  kind: 'ours',
  sentence: message.slice(0, 500),
  steps: [
    isOnMachine(about)
      ? { message: 'The log, which npx tidegate writes to stderr, has the full error.' }
      : { message: 'The Worker’s log has the full error.', command: 'npx wrangler tail' },
  ],
})
