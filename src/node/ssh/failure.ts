import { DatabaseError } from '../../database/index.ts'
import { notReached } from '../../database/on-node.ts'

/** The error for a problem that the operator has to fix before there can be a tunnel. */
export const wrong = (message: string, hint?: string) =>
  new DatabaseError('config', message, { hint })

/** The error for a tunnel that cannot reach the database at the moment. */
export const lost = (message: string, hint?: string) =>
  new DatabaseError('network', message, { hint })

/** The error for a connection that ended before its time. */
export const broken = () => lost('The SSH connection to the database broke.')

/** The error for a program that did not start. */
export const notStarted = (code: string | undefined) =>
  code === 'ENOENT'
    ? wrong(
        'There is no ssh on this machine, and --ssh needs it.',
        'Install the OpenSSH client: the package openssh-client, or on Windows the optional feature OpenSSH Client.',
      )
    : (withoutDescriptor(code) ?? lost('ssh did not start.'))

const withoutDescriptor = (code = '') =>
  code === 'EMFILE' || code === 'ENFILE' ? notReached(code) : undefined

/** Wraps a dial function, to throw DatabaseError if this machine has no free file descriptor. */
export const withSentences =
  <To>(dial: TunnelDial<To>): TunnelDial<To> =>
  (...to) =>
    dial(...to).catch((error) => {
      throw withoutDescriptor(error?.code) ?? error
    })

type TunnelDial<To> = (host: string, port: number, signal: AbortSignal) => Promise<To>

interface Attempt {
  /** The operator's setting: `user@bastion`. */
  readonly through: string
  /** The same as a command: `ssh -l user bastion`. */
  readonly command: string
  readonly target: string
  readonly knownHosts: string | undefined
}

/** Reads from ssh's output why it ended. Repeats only a fingerprint, because a server can add its own text. */
export function failureOf(words: string, attempt: Attempt): DatabaseError {
  const text = words.replaceAll('\r', '')
  const { through, command } = attempt
  // ssh shows the last server's key when it reaches that server.
  const isOnTheWay = text.includes('debug1: Executing proxy command') && !SHOWN.test(text)
  const server = isOnTheWay ? `A jump host of ${through}` : `The SSH server ${through}`
  const [, make] = REASONS.find(([pattern]) => pattern.test(text)) ?? []
  return (
    make?.({ ...attempt, server, text }) ??
    lost(`${server} could not be used.`, `Try ${command}: it says why.`)
  )
}

type Make = (seen: Attempt & { readonly server: string; readonly text: string }) => DatabaseError

const SHOWN = /^debug1: Server host key: ([a-z][\w@.-]{2,40} SHA256:[\w+/=]{43})$/m
const CHANGED = /^(SHA256:[\w+/=]{43})\.$/m

/** From the most to the least specific. */
const REASONS: readonly (readonly [RegExp, Make])[] = [
  [
    /^Host key for \S+ has changed and/m,
    ({ server, command, text }) =>
      wrong(
        `${server} SHOWS A DIFFERENT KEY THAN BEFORE: ${CHANGED.exec(text)?.[1] ?? 'unknown'}. Someone may be between you and it. Nothing was sent to it.`,
        `Ask its admin. Only if the key was replaced, remove the old one with ssh-keygen -R, and connect once with ${command}.`,
      ),
  ],
  [
    / host key for \S+ (?:is marked as|was) revoked/,
    ({ server }) =>
      wrong(
        `${server} shows a key that is revoked. Nothing was sent to it.`,
        'Someone else who has the key can impersonate the server. Ask its admin.',
      ),
  ],
  [
    /^No \S{1,20} host key is known for /m,
    ({ server, command, knownHosts = '~/.ssh/known_hosts', text }) => {
      const shown = SHOWN.exec(text)?.[1]
      return wrong(
        `${server} is not a known host.${shown ? ` It shows the key ${shown}.` : ''}`,
        `Confirm the key with its admin. If it is right, add it to ${knownHosts}: ${command} does this.`,
      )
    },
  ],
  [
    /^Permissions \d+ for .* are too open/m,
    () =>
      wrong('ssh does not use the key: other users can read it.', 'Change that with chmod 600.'),
  ],
  [
    /^Load key .*: (?!Permission denied)/m,
    () => wrong('The key file has no private key that ssh can read.'),
  ],
  [
    /Permission denied \([\w,-]|Too many authentication failures$/m,
    ({ server, command, text }) =>
      wrong(
        `${server} refuses the login.`,
        text.includes('\ndebug1: Server accepts key: ')
          ? 'It accepts the key, but the key is encrypted. Add it to an agent with ssh-add.'
          : `ssh must log in without a prompt. Try ${command} -o BatchMode=yes. Name a key with --ssh-key, or add it to an agent with ssh-add. Passwords are not supported.`,
      ),
  ],
  [
    /^channel 0: open failed: administratively prohibited/m,
    ({ server, target }) =>
      wrong(
        `${server} does not let this user through to ${target}.`,
        'Its admin can allow it: AllowTcpForwarding, PermitOpen and DisableForwarding in sshd_config, or restrict, no-port-forwarding and permitopen in authorized_keys.',
      ),
  ],
  [
    /^channel 0: open failed/m,
    ({ server, target }) =>
      lost(
        `${server} cannot reach ${target}.`,
        'The host in the URL is looked up there, not here. Check that the database listens on it.',
      ),
  ],
  [/^stdio forwarding failed/m, ({ server }) => lost(`${server} cannot reach the next server.`)],
  [
    /^ssh: Could not resolve hostname /m,
    ({ server }) => lost(`${server} has a name that cannot be looked up.`),
  ],
  [
    /^ssh: connect to host .*: Connection refused/m,
    ({ server }) => lost(`${server} refuses connections: nothing listens there.`),
  ],
  [/^ssh: connect to host .* timed out/m, ({ server }) => lost(`${server} does not answer.`)],
  [/^ssh: connect to host /m, ({ server }) => lost(`${server} cannot be reached from here.`)],
  [
    /: terminating, \d+ bad configuration option|^Bad owner or permissions on /m,
    ({ command }) =>
      wrong('ssh does not accept its configuration.', `Try ${command}: it names the line.`),
  ],
  [
    /^No user exists for uid/m,
    () =>
      wrong(
        'ssh does not work for a user who is not in /etc/passwd.',
        "In a container, run as the image's user, or as another user in /etc/passwd.",
      ),
  ],
  [
    /banner exchange|^kex_exchange_identification/m,
    ({ server }) =>
      lost(
        `${server} did not start the SSH protocol: it is silent, rejects this machine, or does not speak SSH.`,
      ),
  ],
]
