import { isWithin, readAddress, readBlock } from '../ip-address.ts'
import { throughTunnel } from './hyperdrive.ts'
import type { Mend, MendStep } from './mend.ts'
import { type About, engineOf, isOnMachine, isThisMachine, shellHost } from './problem.ts'

/** A server that does not answer. */
export function unreachableMend(about: About): Mend {
  if (about.scheme === 'hyperdrive') return behindHyperdrive
  const { addresses = [] } = about
  if (addresses.length > 0 && addresses.every(isOfCloudflare)) return proxiedMend(about)
  const engine = engineOf(about)
  const port = about.port ?? engine.port
  const asleep = asleepStep(about)
  const only6 = addresses.length > 0 && addresses.every((it) => it.includes(':'))
  const named = shellHost(about) === 'HOST' ? { replace: ['HOST'] } : {}
  const isHere = isThisMachine(about)
  return {
    kind: asleep ? 'asleep' : 'unreachable',
    sentence: `Nothing answers for ${engine.title} at ${(about.host ?? 'this address').slice(0, 253)}${about.port === undefined ? '' : `, port ${about.port}`}. ${isHere ? 'The server may not run, or its port is another one.' : `The server may not run, the port may be another one, or a firewall does not let ${isOnMachine(about) ? 'this machine' : 'a Worker'} in.`}`,
    steps: [
      ...(asleep ? [asleep] : []),
      ...(only6 ? [ipv6] : []),
      {
        say: `Look from your own machine whether it answers. Its port is ${port} if the connection string names none.`,
        command: `nc -vz ${shellHost(about)} ${port}`,
        ...named,
      },
      ...(isHere ? [] : [firewall(about, port)]),
    ],
    others: engine.hyperdrive && !isHere ? throughTunnel(about, port) : [],
  }
}

/** Where the server is, only Hyperdrive knows. */
const behindHyperdrive: Mend = {
  kind: 'unreachable',
  sentence:
    'Hyperdrive got no connection to its server. The server may not run, its host or port may be another one, a firewall may not let Hyperdrive in, or all connections are in use.',
  steps: [
    {
      say: 'Look which host and port the Hyperdrive has, and whether a server answers there. On your own machine, the variable has them whose name begins with CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING.',
      command: 'npx wrangler hyperdrive list',
    },
    {
      say: 'Let the addresses of Cloudflare into the firewall of the server: https://www.cloudflare.com/ips/.',
    },
  ],
}

const ipv6: MendStep = {
  say: 'This name has IPv6 addresses only. Where the server, or a firewall before it, does not take IPv6, put in a name that has IPv4 too, such as that of its pooler.',
}

function firewall(about: About, port: number): MendStep {
  const { host = '' } = about
  if (isOnMachine(about)) {
    return { say: `Let the machine that Tidegate runs on in at port ${port} of the firewall.` }
  }
  if (/\.rds\.amazonaws\.com$/.test(host)) {
    return {
      say: 'Let it be public: in the console of RDS under Connectivity, and in its security group. A Worker has no address of its own, so this lets in everybody who has the password; a tunnel lets in nobody else.',
      command: `aws ec2 authorize-security-group-ingress --group-id GROUP \\\n  --protocol tcp --port ${port} --cidr 0.0.0.0/0`,
      replace: ['GROUP'],
    }
  }
  return {
    say: `Let it in at port ${port} of the firewall. A Worker has no address of its own, so a list of addresses has to allow all, or a tunnel has to lead to the server.`,
  }
}

/** Servers that stop while nobody asks them. */
const SLEEPERS: readonly (readonly [RegExp, string])[] = [
  [
    /\.supabase\.(?:co|com)$/,
    'Supabase pauses projects of the Free plan after a week without a question: open the project in its console and restore it.',
  ],
  [
    /\.neon\.tech$/,
    'Neon stops a server that nobody asks, and starts it at the first question: test again in a few seconds.',
  ],
  [
    /\.render\.com$/,
    'Render ends free databases after a month: look in its console whether it is there.',
  ],
  [
    /\.aivencloud\.com$/,
    'Aiven powers off free services that nobody asks: power it on in its console.',
  ],
  [
    /\.clickhouse\.cloud$/,
    'ClickHouse Cloud stops a service that nobody asks, and starts it at the first question: test again in a minute.',
  ],
  [/\.database\.azure\.com$/, 'Azure can stop a server to save its cost: start it in the portal.'],
  [
    /\.rds\.amazonaws\.com$/,
    'RDS can be stopped to save its cost: look in its console whether it is available.',
  ],
]

function asleepStep({ host = '' }: About): MendStep | undefined {
  const found = SLEEPERS.find(([pattern]) => pattern.test(host))
  return found && { say: found[1] }
}

/** A name whose addresses are those of Cloudflare's proxy, to which no Worker can open a socket. */
function proxiedMend(about: About): Mend {
  const engine = engineOf(about)
  return {
    kind: 'unreachable',
    sentence: `The name ${(about.host ?? '').slice(0, 253)} leads to Cloudflare’s proxy, and not to the server. The proxy does not pass on ${engine.title}${isOnMachine(about) ? '' : ', and a Worker cannot open a socket to it'}.`,
    steps: [
      {
        say: 'Turn off the proxy for this name: in the DNS settings of the zone, switch the record to DNS only. Or put in another name of the server.',
      },
    ],
    others: engine.hyperdrive ? throughTunnel(about, about.port ?? engine.port) : [],
  }
}

// https://www.cloudflare.com/ips/
const CLOUDFLARE = [
  ...['173.245.48.0/20', '103.21.244.0/22', '103.22.200.0/22', '103.31.4.0/22', '141.101.64.0/18'],
  ...['108.162.192.0/18', '190.93.240.0/20', '188.114.96.0/20', '197.234.240.0/22'],
  ...['198.41.128.0/17', '162.158.0.0/15', '104.16.0.0/13', '104.24.0.0/14', '172.64.0.0/13'],
  ...['131.0.72.0/22', '2400:cb00::/32', '2606:4700::/32', '2803:f800::/32', '2405:b500::/32'],
  ...['2405:8100::/32', '2a06:98c0::/29', '2c0f:f248::/32'],
].map((it) => readBlock(it)!)

function isOfCloudflare(text: string): boolean {
  const address = readAddress(text)
  return address !== undefined && CLOUDFLARE.some((it) => isWithin(address, it))
}
