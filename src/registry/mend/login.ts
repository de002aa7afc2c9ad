import type { Mend, MendStep } from './mend.ts'
import { type About, engineOf, isOnMachine, type Problem, shellHost } from './problem.ts'

/** A login that the server refuses. */
export function loginMend({ code }: Problem, about: About): Mend {
  const engine = engineOf(about)
  const special = SERVICES.find(({ applies }) => applies(about))
  if (special) return { kind: 'login', ...special.mend(about) }
  const steps = [...causes(code, about), tryIt(about), again(about)]
  return {
    kind: /\bpooler\b/.test(about.host ?? '') ? 'pooler' : 'login',
    sentence: `${engine.title} refuses the login: the user, the password, or that this user comes from outside.`,
    steps: steps.filter((it) => it !== undefined),
  }
}

interface Special {
  applies(about: About): boolean
  mend(about: About): Pick<Mend, 'sentence' | 'steps'>
}

/** Services that log in by a token. */
const SERVICES: readonly Special[] = [
  {
    applies: ({ scheme }) => scheme === 'd1',
    mend: (about) => ({
      sentence:
        'Cloudflare refuses the token. It was revoked, belongs to another account, or may not read D1.',
      steps: [
        {
          say: 'Make a token of the account with the one permission D1: Read, in the dashboard under Manage account, Account API tokens.',
        },
        again(about),
      ],
    }),
  },
  {
    applies: ({ scheme }) => scheme === 'supabase',
    mend: (about) => ({
      sentence:
        'Supabase refuses the token. It was revoked, or may not read the database of this project.',
      steps: [
        {
          say: 'Make an access token at supabase.com/dashboard/account/tokens, limited to this project, with the permission to read its database.',
        },
        again(about),
      ],
    }),
  },
  {
    applies: ({ scheme }) => scheme === 'libsql' || scheme === 'turso',
    mend: (about) => ({
      sentence:
        'The server refuses the token. It has ended, was revoked, or is for another database.',
      steps: [
        {
          say: 'Make another token, and put it behind the host as ?authToken=TOKEN.',
          command: 'turso db tokens create NAME --read-only',
          replace: ['NAME'],
        },
        again(about),
      ],
    }),
  },
]

/** What a code says of the cause, and what changes it. */
function causes(code: string | undefined, about: About): readonly MendStep[] {
  const { host = '', scheme } = about
  if (scheme === 'hyperdrive') return []
  if (/\.pooler\.supabase\.com$/.test(host)) {
    return [
      {
        say: 'At the pooler of Supabase the user has the project behind a point: postgres.REF, and not postgres. Copy the string anew under Connect.',
      },
    ]
  }
  const engine = engineOf(about)
  if (engine.title === 'PostgreSQL') {
    const set: MendStep = {
      say: 'Set the password anew, as an administrator. A password that has signs such as @ or / stands percent-encoded in a URL.',
      command: `ALTER ROLE "USER" WITH LOGIN PASSWORD 'PASSWORD';`,
      replace: ['USER', 'PASSWORD'],
    }
    const enter: MendStep = {
      say: 'If the password is right, pg_hba.conf of the server has no line for this user. Add one, and load it with SELECT pg_reload_conf();',
      command: 'hostssl DATABASE USER all scram-sha-256',
      replace: ['DATABASE', 'USER'],
    }
    return code === '28P01' ? [set] : [set, enter]
  }
  if (engine.title === 'ClickHouse') {
    return [
      {
        say: 'Set the password anew, as an administrator.',
        command: `ALTER USER USER_NAME IDENTIFIED BY 'PASSWORD';`,
        replace: ['USER_NAME', 'PASSWORD'],
      },
    ]
  }
  if (engine.title === 'SQLite') return []
  if (code === '1130') {
    return [
      {
        say: `The server lets no user in from ${isOnMachine(about) ? 'here. Let the user in, as an administrator: % is any address.' : 'outside. Let the user come from anywhere, as an administrator: a Worker has no address of its own.'}`,
        command: `CREATE USER 'USER'@'%' IDENTIFIED BY 'PASSWORD' REQUIRE SSL;\nGRANT SELECT ON \`DATABASE\`.* TO 'USER'@'%';`,
        replace: ['USER', 'PASSWORD', 'DATABASE'],
      },
    ]
  }
  if (code === '1044') {
    return [
      {
        say: 'The password is right, and the user may not open this database. Let it read, as an administrator.',
        command: "GRANT SELECT ON `DATABASE`.* TO 'USER'@'%';",
        replace: ['DATABASE', 'USER'],
      },
    ]
  }
  return [
    {
      say: `Set the password anew, as an administrator. A user of ${engine.title} is a name and where it comes from: 'USER'@'localhost' is another one than 'USER'@'%'.`,
      command: `ALTER USER 'USER'@'%' IDENTIFIED BY 'PASSWORD';`,
      replace: ['USER', 'PASSWORD'],
    },
  ]
}

/** The same login from another program: whether the server or the connection string is wrong. */
function tryIt(about: About): MendStep | undefined {
  const { tryLogin, port } = engineOf(about)
  if (!tryLogin || about.scheme === 'hyperdrive') return undefined
  return {
    say: `Try the same login from your own machine. If it is refused there too, it is not because of ${isOnMachine(about) ? 'Tidegate' : 'the Worker'}.`,
    command: tryLogin(shellHost(about), about.port ?? port),
    replace: ['HOST', 'USER', 'DATABASE'],
  }
}

function again({ endpoint = 'ENDPOINT', database = 'DATABASE', scheme }: About): MendStep {
  if (scheme === 'hyperdrive') {
    return {
      say: 'Give the Hyperdrive the new password.',
      command: 'npx wrangler hyperdrive update ID --origin-password PASSWORD',
      replace: ['ID', 'PASSWORD'],
    }
  }
  const isWord = (it: string) => /^[\w-]{1,31}$/.test(it)
  const names =
    isWord(endpoint) && isWord(database) ? `${endpoint} ${database}` : 'ENDPOINT DATABASE'
  return {
    say: 'Put in the connection string again: here, or by the command line, which asks for it.',
    command: `npx tidegate credential set ${names}`,
    ...(names.includes('E') && { replace: ['ENDPOINT', 'DATABASE'] }),
  }
}
