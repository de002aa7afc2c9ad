import type { EngineFixes, FixPlace } from '../fix.ts'

const asked = (
  { scheme }: FixPlace,
  { host, port }: { readonly host: string; readonly port: number },
  statement: string,
) =>
  `curl -u USER ${scheme === 'clickhouses' ? 'https' : 'http'}://${host}:${port}/ --data "${statement}"`

export const fixes: EngineFixes = {
  login: () => ({
    steps: [
      {
        message: 'Set the password again, as an administrator.',
        command: `ALTER USER USER_NAME IDENTIFIED BY 'PASSWORD';`,
        replace: ['USER_NAME', 'PASSWORD'],
      },
    ],
  }),
  tryLogin: (place, server) => asked(place, server, 'select 1'),
  listDatabases: (place, server) => asked(place, server, 'show databases'),
}
