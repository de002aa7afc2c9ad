import type { FixStep } from '../../database/index.ts'
import { bindingOf, isThisMachine, type KnownFacts, nameOf, shellWord } from './problem.ts'

/** Steps to put Hyperdrive in front of a database, which is then opened through a binding. */
export const throughHyperdrive = (
  about: KnownFacts,
  options: readonly string[],
  replace: readonly string[],
  more = '',
): readonly FixStep[] => [
  {
    message: `Create a Hyperdrive for it, in the directory that you deploy from.${more} --caching-disabled keeps answers fresh.`,
    command: [
      `npx wrangler hyperdrive create ${nameOf(about)}`,
      ...options,
      `--caching-disabled --binding ${bindingOf(about)}`,
    ].join(' \\\n  '),
    replace,
  },
  {
    message:
      'It prints three lines, starting with [[hyperdrive]]. Add them at the end of wrangler.toml, and deploy again, so that the Worker has the binding.',
    command: 'npm run deploy',
  },
  {
    message: `Enter hyperdrive:${bindingOf(about)} instead of the connection string. It contains no password.`,
    command: `hyperdrive:${bindingOf(about)}`,
  },
]

/** Steps for a tunnel out of a private network, with Hyperdrive at the other end. */
export function throughTunnel(about: KnownFacts, port: number): readonly FixStep[] {
  const name = nameOf(about)
  const { hyperdrive: protocol } = about
  const user = shellWord(about.login?.user, 'USER')
  const database = shellWord(about.login?.database, 'DATABASE')
  return [
    {
      message:
        'Create a tunnel, and run it on a machine that can reach the database. The second command keeps running there.',
      command: `npx wrangler tunnel create ${name}\nnpx wrangler tunnel run ${name}`,
    },
    {
      message:
        'Register the server behind the tunnel. TUNNEL_ID is what the first command printed. If the server signs its own certificate, add --cert-verification-mode disabled: the tunnel encrypts the connection.',
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
      ' SERVICE_ID is what the previous command printed.',
    ),
  ]
}

/** Flags with a service's address, for the tunnel. `localhost` here can be a different machine there. */
function place(about: KnownFacts): string {
  const { host = '' } = about
  if (isThisMachine(about)) return '--ipv4 127.0.0.1'
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(host)) return `--ipv4 ${host}`
  if (/^\[[\da-f:.]+\]$/.test(host)) return `--ipv6 ${host.slice(1, -1)}`
  return `--hostname ${/^\w[\w.-]{0,252}$/.test(host) ? host : 'HOST'}`
}
