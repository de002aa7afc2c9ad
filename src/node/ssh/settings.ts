import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { wrong } from './failure.ts'

/** Files for ssh that the operator names, in place of the defaults. */
export interface Files {
  /** A private key, as for `ssh -i`. */
  readonly key?: string | undefined
  readonly knownHosts?: string | undefined
  /** A configuration, as for `ssh -F`. */
  readonly config?: string | undefined
  /** True for an ssh before 8.7, which does not support all of the settings. */
  readonly isOld?: boolean
}

/** ssh uses the first value for each setting. These come first, so the user's files cannot change them. */
const FIRST = `LogLevel ERROR
BatchMode yes
StrictHostKeyChecking yes
NoHostAuthenticationForLocalhost no
UpdateHostKeys no
ConnectTimeout 8
ServerAliveInterval 15
ServerAliveCountMax 3
ExitOnForwardFailure yes
ClearAllForwardings yes
ForwardAgent no
ForwardX11 no
Tunnel no
PermitLocalCommand no
RemoteCommand none
RequestTTY no
ControlMaster no
ControlPath none
`

/** In the background, ssh would outlive its stream. An IgnoreUnknown for this would replace the user's own. */
const SINCE_8_7 = 'ForkAfterAuthentication no\n'

/** True if ssh ended because it does not support that setting. Its output has the path, which a server cannot know. */
export const isTooOld = (words: string, path: string): boolean =>
  words.includes(`${path}: terminating, `) &&
  words.includes(': Bad configuration option: forkafterauthentication')

/**
 * Runs some work with a settings file for `ssh -F`. Jump hosts use it too: ssh passes on this file, but no other
 * option. Throws DatabaseError.
 */
export async function withSettings<T>(
  { key, knownHosts, config, isOld }: Files,
  home: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const own = [
    ...(key ? [`IdentityFile ${fileAt(key, home)}`, 'IdentitiesOnly yes'] : []),
    ...(knownHosts
      ? ['User', 'Global'].map((it) => `${it}KnownHostsFile ${fileAt(knownHosts, home)}`)
      : []),
    ...(config ? [`Include ${fileAt(config, home)}`] : ['Include ~/.ssh/config', SYSTEM]),
  ]
  const folder = await mkdtemp(join(tmpdir(), 'tidegate-ssh-'))
  try {
    // For a jump host, ssh writes the path into its own command line.
    if (!/^[\w./\\:~-]+$/.test(folder)) {
      throw wrong(`ssh cannot use the folder ${tmpdir()}. Set TMPDIR to a path without spaces.`)
    }
    const path = join(folder, 'config')
    await writeFile(path, `${FIRST}${isOld ? '' : SINCE_8_7}${own.join('\n')}\n`)
    return await work(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const SYSTEM =
  process.platform === 'win32'
    ? `Include "${(process.env.ProgramData ?? 'C:\\ProgramData').replaceAll('\\', '/')}/ssh/ssh_config"`
    : 'Include /etc/ssh/ssh_config'

function fileAt(text: string, home: string): string {
  const found = resolve(text.replace(/^~(?=[/\\])/, home))
  const path = process.platform === 'win32' ? found.replaceAll('\\', '/') : found
  if (!/^[^"'\\$%*?[\]\p{Cc}]+$/u.test(path)) {
    throw wrong(`The path of a file for SSH has a character that ssh does not accept: ${path}.`)
  }
  // The private key can be in an agent, with only its public half here.
  if (!existsSync(path) && !existsSync(`${path}.pub`))
    throw wrong(`There is no file ${path}, which SSH needs.`)
  return `"${path}"`
}
