import type { MendStep } from './mend.ts'
import { type About, bindingOf, engineOf, isThisMachine, nameOf, shellWord } from './problem.ts'

/** Puts Hyperdrive in front of a database, which is then opened by a binding. */
export const throughHyperdrive = (
  about: About,
  options: readonly string[],
  replace: readonly string[],
  more = '',
): readonly MendStep[] => [
  {
    say: `Make a Hyperdrive for it, where this deployment is deployed from.${more} --caching-disabled keeps answers fresh.`,
    command: [
      `npx wrangler hyperdrive create ${nameOf(about)}`,
      ...options,
      `--caching-disabled --binding ${bindingOf(about)}`,
    ].join(' \\\n  '),
    replace,
  },
  {
    say: 'It prints three lines, from [[hyperdrive]] on. Add them at the end of wrangler.toml, and deploy again, so that the Worker has the binding.',
    command: 'npm run deploy',
  },
  {
    say: `Put in hyperdrive:${bindingOf(about)} instead of the connection string. It holds no password.`,
    command: `hyperdrive:${bindingOf(about)}`,
  },
]

/** A tunnel out of a private network, and Hyperdrive at its other end. */
export function throughTunnel(about: About, port: number): readonly MendStep[] {
  const name = nameOf(about)
  const { hyperdrive: protocol = 'postgresql' } = engineOf(about)
  const user = shellWord(about.login?.user, 'USER')
  const database = shellWord(about.login?.database, 'DATABASE')
  return [
    {
      say: 'Make a tunnel, and run it on a machine that reaches the database. The second command goes on running there.',
      command: `npx wrangler tunnel create ${name}\nnpx wrangler tunnel run ${name}`,
    },
    {
      say: 'Say what is behind the tunnel. TUNNEL_ID is what the first command printed. If the certificate of the server is its own, add --cert-verification-mode disabled: the tunnel encrypts the way.',
      command: [
        `npx wrangler vpc service create ${name} --type tcp --app-protocol ${protocol}`,
        `--tunnel-id TUNNEL_ID --tcp-port ${port} ${place(about)}`,
      ].join(' \\\n  '),
      replace: ['TUNNEL_ID', 'HOST'],
    },
    ...throughHyperdrive(
      about,
      [
        `--scheme ${protocol} --service-id SERVICE_ID --database ${database}`,
        `--user ${user} --password PASSWORD`,
      ],
      ['SERVICE_ID', 'DATABASE', 'USER', 'PASSWORD'],
      ' SERVICE_ID is what the command before printed.',
    ),
  ]
}

/** How a service says where it is. What is this machine for one is another one for the tunnel. */
function place(about: About): string {
  const { host = '' } = about
  if (isThisMachine(about)) return '--ipv4 127.0.0.1'
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(host)) return `--ipv4 ${host}`
  if (/^\[[\da-f:.]+\]$/.test(host)) return `--ipv6 ${host.slice(1, -1)}`
  return `--hostname ${/^\w[\w.-]{0,252}$/.test(host) ? host : 'HOST'}`
}
