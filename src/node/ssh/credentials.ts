import type * as Ssh2 from 'ssh2'
import type { AnyAuthMethod, ParsedKey } from 'ssh2'
import { preferring } from './agent.ts'
import { wrong } from './fault.ts'
import type { Here } from './here.ts'
import type { Hop } from './route.ts'

/** The ways to log in to a server, in the order in which they are tried. */
export interface Credentials {
  readonly methods: readonly AnyAuthMethod[]
  /** Files whose keys are encrypted, and not with the passphrase that is known. */
  readonly locked: readonly string[]
}

/** The keys that ssh tries where none is named. */
const USUAL = ['id_ed25519', 'id_ecdsa', 'id_rsa']

/**
 * Finds out how to log in: by the keys that are named for the server, by those of an agent, by the usual ones, and by
 * the password in SSH_PASSWORD. SSH_KEY_PASSPHRASE opens keys that are encrypted. Throws DatabaseError.
 */
export async function credentialsFor(
  { keyFiles, isOnlyThese, agent, user: username }: Hop,
  here: Here,
  ssh2: typeof Ssh2,
): Promise<Credentials> {
  const locked: string[] = []
  const wanted: Buffer[] = []
  const passphrase = here.variables.SSH_KEY_PASSPHRASE
  const keysIn = async (files: readonly string[], isNamed: boolean) => {
    const keys: AnyAuthMethod[] = []
    for (const file of files) {
      const key = await keyIn(file, passphrase, isNamed, here, ssh2)
      const listed = await publicKeyIn(file, here, ssh2)
      if (key === 'locked') locked.push(file)
      else if (key) keys.push({ type: 'publickey', username, key })
      if (listed) wanted.push(listed)
    }
    return keys
  }
  const named = await keysIn(keyFiles, true)
  const asked = [...wanted]
  const hasNone = keyFiles.length === 0
  const usual = hasNone
    ? await keysIn(
        USUAL.map((it) => here.path.join(here.userFolder, it)),
        false,
      )
    : []
  const filter = isOnlyThese ? (hasNone ? wanted : asked) : undefined
  const password = here.variables.SSH_PASSWORD
  return {
    locked,
    methods: [
      ...named,
      ...(agent
        ? [{ type: 'agent' as const, username, agent: preferring(ssh2, agent, wanted, filter) }]
        : []),
      ...usual,
      ...(password ? [{ type: 'password' as const, username, password }] : []),
    ],
  }
}

async function keyIn(
  file: string,
  passphrase: string | undefined,
  isNamed: boolean,
  here: Here,
  { utils }: typeof Ssh2,
): Promise<ParsedKey | 'locked' | undefined> {
  const text = await here.read(file)
  if (text === undefined) {
    // A key may lie in an agent only, and its public half here.
    if (!isNamed || (await here.read(`${file}.pub`)) !== undefined) return undefined
    throw wrong(`There is no file ${file}, which is to hold the key for SSH.`)
  }
  const key = utils.parseKey(text)
  if (!(key instanceof Error)) return first(key).isPrivateKey() ? first(key) : undefined
  // The library tells an encrypted key from a broken one by its message only.
  if (/no passphrase/i.test(key.message)) {
    const opened = passphrase ? utils.parseKey(text, passphrase) : key
    return opened instanceof Error ? 'locked' : first(opened)
  }
  if (!isNamed) return undefined
  throw wrong(`The file ${file} holds no private key that can be read.`)
}

async function publicKeyIn(file: string, here: Here, { utils }: typeof Ssh2) {
  const text = (await here.read(`${file}.pub`)) ?? (await here.read(file))
  const key = text === undefined ? undefined : utils.parseKey(text)
  return key && !(key instanceof Error) ? first(key).getPublicSSH() : undefined
}

// A file of OpenSSH may hold several keys. None that ssh-keygen makes does.
const first = (key: ParsedKey | ParsedKey[]) => (Array.isArray(key) ? key[0]! : key)
