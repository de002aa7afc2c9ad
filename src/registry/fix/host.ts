import { type Fix, type FixStep, titlesOf } from '../../database/index.ts'
import { throughTunnel } from './hyperdrive.ts'
import { hostToReplace, isOnMachine, isThisMachine, type KnownFacts, shellHost } from './problem.ts'

/** Fix for a host that only a private network can reach. */
export function privateFix(about: KnownFacts): Fix {
  const { host = '', engine } = about
  if (isOnMachine(about)) {
    return {
      kind: 'private',
      sentence: `${host.slice(0, 253) || 'The host'} is ${isThisMachine(about) ? 'the machine itself' : 'within a private network'}, and this deployment reaches only public hosts, unless others are allowed.`,
      steps: [allow(about)],
    }
  }
  const where = isThisMachine(about)
    ? `${host} is the machine itself: a Worker cannot reach your machine under that name.`
    : `${host.slice(0, 253) || 'The host'} is within a private network, and a Worker is outside of it.`
  const kind = 'private' as const
  if (about.hyperdrive) {
    return {
      kind,
      sentence: `${where} A tunnel leads out of it, and Hyperdrive is at its other end.`,
      steps: throughTunnel(about, about.port ?? engine.port),
      others: [allow(about)],
    }
  }
  return {
    kind,
    sentence: `${where} Hyperdrive, which could reach it, supports only ${titlesOf((it) => Object.values(it.schemes).some(({ protocol }) => protocol))}.`,
    steps: [
      {
        message: `Enter a public, encrypted address for the server. Open port ${about.port ?? engine.port} in the firewall, and use a read-only user.`,
      },
      allow(about),
    ],
  }
}

/** Step for a deployment inside the network, such as a Worker that runs locally. */
const allow = (about: KnownFacts): FixStep => ({
  message: isOnMachine(about)
    ? 'Allow the host. The variable PRIVATE_HOSTS does the same, where npx tidegate is started.'
    : 'If this deployment runs within that network, as npm run worker does on your machine, allow the host. The variable PRIVATE_HOSTS does the same.',
  command: `npx tidegate settings --allow-host ${shellHost(about)}`,
  ...hostToReplace(about),
})

/** Fix for a host name that does not resolve. */
export function unknownHostFix(about: KnownFacts): Fix {
  const { host = '' } = about
  const meant = meantHost(about)
  const look = {
    message: meant
      ? `Compare it with the name in your provider’s console: it may be ${meant}.`
      : 'Compare it with the name in your provider’s console. This shows its addresses, if there are any:',
    command: `dig +short ${shellHost(about)} A ${shellHost(about)} AAAA`,
    ...hostToReplace(about),
  }
  const { steps } = privateFix(about)
  return {
    kind: 'host',
    sentence: `The name ${host.slice(0, 253) || 'of the host'} has no address. It is misspelled, the server is gone, or only a private network knows it.`,
    steps: [look],
    others: [
      {
        ...steps[0]!,
        message: `If only a private network knows it: ${lower(steps[0]!.message)}`,
      },
      ...steps.slice(1),
    ],
  }
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

/** The host with the ending of a known service, if its own ending is almost the same. */
function meantHost({ host = '', service, services }: KnownFacts): string | undefined {
  if (service) return undefined
  // In a short ending, two different letters are not a typo: it is a different ending.
  for (const end of services.flatMap(({ ends }) => ends).filter((it) => it.length > 8)) {
    const labels = end.split('.').length - 1
    const own = host.split('.').slice(-labels)
    const first = host.split('.').slice(0, -labels).join('.')
    const tail = `.${own.join('.')}`
    if (first !== '' && tail !== end && distance(tail, end) <= 2) return first + end
  }
  return undefined
}

/** Edit distance between two short strings (letters changed, added or left out); 3 if it is larger than 2. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2 || a.length > 60) return 3
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
