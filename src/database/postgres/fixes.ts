import type { EngineFixes, FixStep } from '../fix.ts'

const SET_PASSWORD: FixStep = {
  message:
    'Set the password again, as an administrator. In a URL, percent-encode characters such as @ or / in the password.',
  command: `ALTER ROLE "USER" WITH LOGIN PASSWORD 'PASSWORD';`,
  replace: ['USER', 'PASSWORD'],
}

const LET_IN: FixStep = {
  message:
    'If the password is correct, pg_hba.conf on the server has no line for this user. Add one, and load it with SELECT pg_reload_conf();',
  command: 'hostssl DATABASE USER all scram-sha-256',
  replace: ['DATABASE', 'USER'],
}

const POOLER: FixStep = {
  message:
    'The Supabase pooler needs the user postgres.REF, not postgres. Copy the string from Connect again.',
}

export const fixes: EngineFixes = {
  login({ host = '' }, reason) {
    if (/\.pooler\.supabase\.com$/.test(host)) return { steps: [POOLER] }
    return { steps: reason === 'password_wrong' ? [SET_PASSWORD] : [SET_PASSWORD, LET_IN] }
  },
  tryLogin: (_, { host, port }) => `psql "host=${host} port=${port} user=USER dbname=DATABASE"`,
  listDatabases: (_, { host }) => `psql "host=${host} user=USER dbname=postgres" -l`,
  instead({ host = '' }) {
    if (!/\.supabase\.com?$/.test(host)) return []
    const ref = /^db\.([a-z]{20})\.supabase\.co$/.exec(host)?.[1]
    return [
      {
        message:
          "Use Supabase's API instead, which does not need a certificate, with an access token that can only read this project. Its role can read every table.",
        command: `supabase://:TOKEN@${ref ?? 'REF'}`,
        replace: ref ? ['TOKEN'] : ['TOKEN', 'REF'],
      },
    ]
  },
  sslModes: ['verify-ca', 'verify-full'],
  encryption: {
    step: {
      message:
        'Turn on encryption on the server, with a certificate from a public CA for its name. As an administrator, once the files are in place:',
      command: 'ALTER SYSTEM SET ssl = on;\nSELECT pg_reload_conf();',
    },
    without: 'sslmode=disable',
  },
}
