import type { Mend } from './mend.ts'
import { type About, engineOf, isOnMachine, type Problem, shellHost } from './problem.ts'
import { settingStep } from './setting.ts'

/** A database that is not there. */
export function databaseMend(about: About): Mend {
  const engine = engineOf(about)
  const list =
    engine.title === 'PostgreSQL'
      ? `psql "host=${shellHost(about)} user=USER dbname=postgres" -l`
      : `mysql -h ${shellHost(about)} -u USER -p -e "SHOW DATABASES"`
  if (about.scheme === 'd1') {
    return {
      kind: 'database',
      sentence: 'The account has no D1 database with this id.',
      steps: [
        {
          say: 'Look for its id, and put it in: d1://:TOKEN@ACCOUNT/DATABASE.',
          command: 'npx wrangler d1 list',
        },
      ],
    }
  }
  if (about.scheme === 'hyperdrive') {
    return {
      kind: 'database',
      sentence: 'The server behind Hyperdrive has no database of the name that Hyperdrive has.',
      steps: [
        {
          say: 'Look which name it has, and give it the right one: npx wrangler hyperdrive update ID --database NAME.',
          command: 'npx wrangler hyperdrive list',
        },
      ],
    }
  }
  return {
    kind: 'database',
    sentence: `${engine.title} lets the user in, and has no database of this name, or does not show it to this user.`,
    steps: [
      {
        say: 'List the names. Capitals count.',
        command: list,
        replace: ['HOST', 'USER'],
      },
      { say: 'Put in the connection string again, with the right name behind the host.' },
    ],
  }
}

/** A binding or a secret that the deployment does not have. */
export function bindingMend(about: About): Mend {
  const { scheme, binding = 'BINDING' } = about
  const name = /^\w{1,60}$/.test(binding) ? binding : 'BINDING'
  if (scheme === 'secret') {
    return {
      kind: 'setup',
      sentence: `The deployment has no ${isOnMachine(about) ? 'variable' : 'secret'} ${name}, or what it holds is no URL of a database.`,
      steps: [
        settingStep(about, name, 'Set it to the connection string: the command asks for it.'),
      ],
    }
  }
  const [what, list, table, id] =
    scheme === 'd1'
      ? ['D1 database', 'npx wrangler d1 list', 'd1_databases', 'database_id']
      : ['Hyperdrive', 'npx wrangler hyperdrive list', 'hyperdrive', 'id']
  if (isOnMachine(about)) {
    return {
      kind: 'setup',
      sentence: `${what} is bound to Workers, and this deployment is none.`,
      steps: [{ say: 'Put in the connection string of the database itself.' }],
    }
  }
  return {
    kind: 'setup',
    sentence: `This deployment has no ${what} bound as ${name}.`,
    steps: [
      { say: 'Find its id.', command: list },
      {
        say: 'Write it into wrangler.toml.',
        command: `[[${table}]]\nbinding = "${name}"\n${id} = "ID"`,
        replace: ['ID'],
      },
      {
        say: 'Deploy, so that the Worker has the binding. Then test again.',
        command: 'npm run deploy',
      },
    ],
  }
}

/** A connection string that cannot be decrypted. */
export const sealedMend = (about: About): Mend => ({
  kind: 'setup',
  sentence: 'The connection string was sealed with another TIDEGATE_SECRET, so nobody can read it.',
  steps: [
    settingStep(
      about,
      'TIDEGATE_SECRET_PREVIOUS',
      'Set that secret beside the present one, if you still have it.',
    ),
    { say: 'Or put in the connection string again.' },
  ],
})

/** A question that took too long. */
export const slowMend = (about: About): Mend => ({
  kind: 'slow',
  sentence: `${engineOf(about).title} did not answer in time. It is busy, it is just starting, or it is far away.`,
  steps: [
    { say: 'Test again in a minute.' },
    {
      say: 'If it is always slow, give it more time in the settings of the endpoint: timeoutMs, up to 55,000.',
    },
  ],
})

/** A role that may not see its own rights, or the tables. */
export const rightsMend = (about: About): Mend => ({
  kind: 'rights',
  sentence: `${engineOf(about).title} lets the role in, and does not answer what it is asked about itself.`,
  steps: [
    {
      say: 'Give the endpoint a role of its own that may read the tables. /doctor prints the SQL that makes one.',
    },
  ],
})

/** A fault of ours. */
export const oursMend = ({ message }: Problem, about: About): Mend => ({
  kind: 'ours',
  sentence: message.slice(0, 500),
  steps: [
    isOnMachine(about)
      ? { say: 'The log, which npx tidegate writes to stderr, has the whole error.' }
      : { say: 'The log of the Worker has the whole error.', command: 'npx wrangler tail' },
  ],
})
