import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { posix, win32 } from 'node:path'
import { wrong } from './fault.ts'

/** What ssh finds on this machine. */
export interface Here {
  readonly platform: NodeJS.Platform
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly path: typeof posix
  /** The folder of the user: `~/.ssh`. */
  readonly userFolder: string
  /** The folder of the machine: `/etc/ssh`. */
  readonly systemFolder: string
  /** Who logs in where nobody is named. */
  readonly user: string
  /** Reads a small file; nothing if there is none. Throws DatabaseError. */
  read(path: string): Promise<string | undefined>
  /** Writes out `~` and `${NAME}` in a path. */
  expand(path: string): string
}

/** The most characters of a file of ssh. */
const MAX_CHARACTERS = 4_000_000

/** Reads no file yet. */
export function here(
  variables: Here['variables'],
  home: string,
  platform: NodeJS.Platform = process.platform,
): Here {
  const isWindows = platform === 'win32'
  const path = isWindows ? win32 : posix
  return {
    platform,
    variables,
    home,
    path,
    userFolder: path.join(home, '.ssh'),
    systemFolder: isWindows
      ? path.join(variables.ProgramData ?? variables.PROGRAMDATA ?? 'C:\\ProgramData', 'ssh')
      : '/etc/ssh',
    user: variables.USER ?? variables.USERNAME ?? variables.LOGNAME ?? ownName(),
    read,
    expand: (text) => {
      const named = text.replace(/\$\{(\w+)\}/g, (_, name: string) => variables[name] ?? '')
      return /^~(?=[/\\]|$)/.test(named) ? path.join(home, named.slice(1)) : named
    },
  }
}

async function read(path: string): Promise<string | undefined> {
  try {
    const text = await readFile(path, 'utf8')
    if (text.length <= MAX_CHARACTERS) return text.replace(/^\uFEFF/, '')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw wrong(`The file ${path} cannot be read${code === 'EACCES' ? ': it is not yours' : ''}.`)
  }
  throw wrong(`The file ${path} is too large.`)
}

// A user who is in no list of users has no name, as in some containers.
function ownName(): string {
  try {
    return userInfo().username
  } catch {
    return 'root'
  }
}
