import { throughTunnel } from './hyperdrive.ts'
import type { Mend, MendStep } from './mend.ts'
import { type About, engineOf, isOnMachine, isThisMachine, shellHost } from './problem.ts'

/** A host that only a private network reaches. */
export function privateMend(about: About): Mend {
  const { host = '' } = about
  const engine = engineOf(about)
  if (isOnMachine(about)) {
    return {
      kind: 'private',
      sentence: `${host.slice(0, 253) || 'The host'} is ${isThisMachine(about) ? 'the machine itself' : 'within a private network'}, and this deployment reaches public hosts alone, as long as nobody allows others.`,
      steps: [allow(about)],
    }
  }
  const where = isThisMachine(about)
    ? `${host} is the machine itself: for a Worker that is no machine of yours.`
    : `${host.slice(0, 253) || 'The host'} is within a private network, and a Worker is outside of it.`
  const kind = 'private' as const
  if (engine.hyperdrive) {
    return {
      kind,
      sentence: `${where} A tunnel leads out of it, and Hyperdrive is its other end.`,
      steps: throughTunnel(about, about.port ?? engine.port),
      others: [allow(about)],
    }
  }
  return {
    kind,
    sentence: `${where} Hyperdrive, which could lead there, is for PostgreSQL and MySQL.`,
    steps: [
      {
        say: `Put in an address of the server that is public and encrypted. Let it in at port ${about.port ?? engine.port} of the firewall, for a user that may only read.`,
      },
      allow(about),
    ],
  }
}

/** For a deployment that is within the network, as `npm start` is. */
const allow = (about: About): MendStep => ({
  say: isOnMachine(about)
    ? 'Allow the host. The variable PRIVATE_HOSTS does the same, where npx tidegate is started.'
    : 'If this deployment runs within that network, as npm start does on your machine, allow the host. The variable PRIVATE_HOSTS does the same.',
  command: `npx tidegate settings --allow-host ${shellHost(about)}`,
  ...(shellHost(about) === 'HOST' && { replace: ['HOST'] }),
})

/** Ends of names of hosts that companies give out. */
const ENDS = [
  ...['.rds.amazonaws.com', '.neon.tech', '.supabase.co', '.pooler.supabase.com', '.psdb.cloud'],
  ...['.turso.io', '.clickhouse.cloud', '.db.ondigitalocean.com', '.aivencloud.com'],
  ...['.postgres.database.azure.com', '.mysql.database.azure.com', '.postgresbridge.com'],
  ...['.cockroachlabs.cloud', '.tsdb.cloud.timescale.com', '.proxy.rlwy.net', '.tidbcloud.com'],
]

/** A name that nobody knows. */
export function unknownHostMend(about: About): Mend {
  const { host = '' } = about
  const meant = meantHost(host)
  const look = {
    say: meant
      ? `Compare it with the name in the console of whoever runs the server: it may be ${meant}.`
      : 'Compare it with the name in the console of whoever runs the server. This shows its addresses, if there are any:',
    command: `dig +short ${shellHost(about)} A ${shellHost(about)} AAAA`,
    ...(shellHost(about) === 'HOST' && { replace: ['HOST'] }),
  }
  const { steps } = privateMend(about)
  return {
    kind: 'host',
    sentence: `The name ${host.slice(0, 253) || 'of the host'} has no address. It has a mistake in it, the server is gone, or only a private network knows it.`,
    steps: [look],
    others: [
      {
        ...steps[0]!,
        say: `If only a private network knows it: ${lower(steps[0]!.say)}`,
      },
      ...steps.slice(1),
    ],
  }
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

/** The host with an end that is given out, if its own end is nearly that. */
function meantHost(host: string): string | undefined {
  for (const end of ENDS) {
    const labels = end.split('.').length - 1
    const own = host.split('.').slice(-labels)
    const first = host.split('.').slice(0, -labels).join('.')
    const tail = `.${own.join('.')}`
    if (first !== '' && tail !== end && distance(tail, end) <= 2) return first + end
  }
  return undefined
}

/** How many letters two short texts differ by, changed, added, or left out; 3 for more. */
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
