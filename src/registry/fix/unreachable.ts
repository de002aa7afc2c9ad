import type { Fix, FixStep } from '../../database/index.ts'
import { isWithin, readAddress, readBlock } from '../hosts/ip-address.ts'
import { throughTunnel } from './hyperdrive.ts'
import { hostToReplace, isOnMachine, isThisMachine, type KnownFacts, shellHost } from './problem.ts'

/** Fix for a server that does not answer. */
export function unreachableFix(about: KnownFacts): Fix {
  if (about.scheme === 'hyperdrive') return behindHyperdrive
  const { addresses = [], engine } = about
  if (addresses.length > 0 && addresses.every(isOfCloudflare)) return proxiedFix(about)
  const port = about.port ?? engine.port
  const asleep = about.service?.asleep
  const only6 = addresses.length > 0 && addresses.every((it) => it.includes(':'))
  const isHere = isThisMachine(about)
  return {
    kind: asleep ? 'asleep' : 'unreachable',
    sentence: `Nothing answers for ${engine.title} at ${(about.host ?? 'this address').slice(0, 253)}${about.port === undefined ? '' : `, port ${about.port}`}. ${isHere ? 'The server may be down, or its port is a different one.' : `The server may be down, the port may be a different one, or a firewall blocks ${isOnMachine(about) ? 'this machine' : 'a Worker'}.`}`,
    steps: [
      ...(asleep ? [{ message: asleep }] : []),
      ...(only6 ? [ipv6] : []),
      {
        message: `Check from your own machine whether it answers. Its port is ${port} if the connection string does not have one.`,
        command: `nc -vz ${shellHost(about)} ${port}`,
        ...hostToReplace(about),
      },
      ...(isHere ? [] : [firewall(about, port)]),
    ],
    others: about.hyperdrive && !isHere ? throughTunnel(about, port) : [],
  }
}

/** Fix for a server that only Hyperdrive knows. */
const behindHyperdrive: Fix = {
  kind: 'unreachable',
  sentence:
    'Hyperdrive could not connect to its server. The server may be down, its host or port may be different, a firewall may block Hyperdrive, or all connections are in use.',
  steps: [
    {
      message:
        'Check which host and port the Hyperdrive has, and whether a server answers there. On your own machine, they are in the variable whose name begins with CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING.',
      command: 'npx wrangler hyperdrive list',
    },
    {
      message:
        'Allow Cloudflare’s addresses in the server’s firewall: https://www.cloudflare.com/ips/.',
    },
  ],
}

const ipv6: FixStep = {
  message:
    'This name has only IPv6 addresses. If the server, or a firewall in front of it, does not accept IPv6, enter a name that also has IPv4, such as the name of its pooler.',
}

function firewall(about: KnownFacts, port: number): FixStep {
  const { host = '' } = about
  if (isOnMachine(about)) {
    return { message: `Open port ${port} in the firewall for the machine that Tidegate runs on.` }
  }
  if (/\.rds\.amazonaws\.com$/.test(host)) {
    return {
      message:
        'Make it publicly accessible: in the RDS console under Connectivity, and in its security group. A Worker has no address of its own, so this admits everybody who has the password; a tunnel admits nobody else.',
      command: `aws ec2 authorize-security-group-ingress --group-id GROUP \\\n  --protocol tcp --port ${port} --cidr 0.0.0.0/0`,
      replace: ['GROUP'],
    }
  }
  return {
    message: `Open port ${port} in the firewall. A Worker has no address of its own, so an address list must allow all addresses, or a tunnel must lead to the server.`,
  }
}

/** Fix for a name that resolves to Cloudflare's proxy. A Worker cannot open a socket to it. */
function proxiedFix(about: KnownFacts): Fix {
  const { engine } = about
  return {
    kind: 'unreachable',
    sentence: `The name ${(about.host ?? '').slice(0, 253)} points to Cloudflare’s proxy, not to the server. The proxy does not forward ${engine.title}${isOnMachine(about) ? '' : ', and a Worker cannot open a socket to it'}.`,
    steps: [
      {
        message:
          'Turn off the proxy for this name: in the DNS settings of the zone, switch the record to DNS only. Or enter another name for the server.',
      },
    ],
    others: about.hyperdrive ? throughTunnel(about, about.port ?? engine.port) : [],
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
