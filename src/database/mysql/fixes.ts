import type { EngineFixes, FixPlace, FixStep } from '../fix.ts'

const titleOf = ({ scheme }: FixPlace) => (scheme === 'mariadb' ? 'MariaDB' : 'MySQL')

const addressStep = ({ platform = 'worker' }: FixPlace): FixStep => ({
  message: `The server does not accept this user from ${platform === 'worker' ? 'outside. As an administrator, allow the user from any address: a Worker has no address of its own.' : 'here. As an administrator, allow the user in: % is any address.'}`,
  command: `CREATE USER 'USER'@'%' IDENTIFIED BY 'PASSWORD' REQUIRE SSL;\nGRANT SELECT ON \`DATABASE\`.* TO 'USER'@'%';`,
  replace: ['USER', 'PASSWORD', 'DATABASE'],
})

const RIGHT: FixStep = {
  message:
    'The password is correct, but the user is not allowed to open this database. As an administrator, grant it read access.',
  command: "GRANT SELECT ON `DATABASE`.* TO 'USER'@'%';",
  replace: ['DATABASE', 'USER'],
}

const passwordStep = (place: FixPlace): FixStep => ({
  message: `Set the password again, as an administrator. A ${titleOf(place)} user is a name and a host: 'USER'@'localhost' and 'USER'@'%' are different users.`,
  command: `ALTER USER 'USER'@'%' IDENTIFIED BY 'PASSWORD';`,
  replace: ['USER', 'PASSWORD'],
})

export const fixes: EngineFixes = {
  login(place, reason) {
    if (reason === 'address_refused') return { steps: [addressStep(place)] }
    return { steps: [reason === 'database_denied' ? RIGHT : passwordStep(place)] }
  },
  tryLogin: (_, { host, port }) => `mysql -h ${host} -P ${port} -u USER -p DATABASE`,
  listDatabases: (_, { host }) => `mysql -h ${host} -u USER -p -e "SHOW DATABASES"`,
  hyperdriveNote: ({ scheme }) =>
    scheme === 'mariadb' ? ' Its string begins with mysql:// there.' : '',
  sslModes: ['VERIFY_CA', 'VERIFY_IDENTITY'],
  encryption: {
    step: {
      message:
        'Turn on encryption on the server, with a certificate from a public CA for its name. Add this to its settings, and then restart it:',
      command: '[mysqld]\nssl_cert=/etc/mysql/server.pem\nssl_key=/etc/mysql/server.key',
    },
    without: 'ssl-mode=DISABLED',
  },
}
