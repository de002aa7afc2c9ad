import { throughTunnel } from './hyperdrive.ts'
import type { Mend } from './mend.ts'
import { type About, engineOf } from './problem.ts'

/** A server that does not encrypt. */
export function plainMend(about: About): Mend {
  const engine = engineOf(about)
  const isPostgres = engine.title === 'PostgreSQL'
  const off = isPostgres ? 'sslmode=disable' : 'ssl-mode=DISABLED'
  return {
    kind: 'no_tls',
    sentence: `The server answers, and does not encrypt. ${engine.title} would get the login and send the rows as plain text, so nothing was sent.`,
    steps: [
      isPostgres
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
