import { readFile, stat } from 'node:fs/promises'
import { homedir, userInfo } from 'node:os'
import { type Closable, DatabaseError, type FileState, type Machine } from '../database/index.ts'
import { logged } from './logged.ts'
import { sqliteFile } from './sqlite/file.ts'

/** Bytes of a file that a URL may name: certificates and keys are far smaller. */
const MAX_FILE_BYTES = 1024 * 1024

/** This machine, for the drivers; and a way to close what it keeps. */
export interface OwnMachine extends Machine, Closable {
  close(): Promise<void>
}

/** This machine, with these variables. What is given replaces a part of it. */
export function machineWith(
  variables: Readonly<Record<string, string | undefined>>,
  given: Partial<Machine> = {},
): OwnMachine {
  const kept = new Map<string, Closable>()
  const own: OwnMachine = {
    platform: 'node',
    variables,
    home: homedir(),
    user: userName(),
    readFile: readSmallFile,
    look,
    sqlite: sqliteFile,
    keep<It extends Closable>(name: string, make: () => It): It {
      const found = (kept.get(name) as It | undefined) ?? make()
      kept.set(name, found)
      return found
    },
    ...given,
    async close() {
      // They stay in their places: what is closed is not opened again by a call that goes on.
      const all = [...kept.values()]
      await Promise.all(all.map(async (it) => it.close()).map((closing) => closing.catch(logged)))
    },
  }
  return { ...own, guest: guestOf(own) }
}

/** A machine as somebody else may use it. Its connections are apart: a file may have given others a password. */
const guestOf = ({ platform, dial, fetch, keep }: Machine): Machine => ({
  isGuest: true,
  platform,
  variables: {},
  home: '',
  user: '',
  dial,
  fetch,
  look: async () => undefined,
  async readFile() {
    throw new DatabaseError('config', 'The database URL names a file, and may not.')
  },
  keep: (name, make) => keep(`guest ${name}`, make),
})

/** What the user is called. A container may run as a user without a name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return ''
  }
}

async function look(path: string): Promise<FileState | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (!found) return undefined
  return { mode: process.platform === 'win32' ? undefined : found.mode & 0o777, owner: found.uid }
}

async function readSmallFile(path: string): Promise<string> {
  try {
    // Others may have no end, such as a device.
    const found = await stat(path)
    if (found.isFile() && found.size > MAX_FILE_BYTES) {
      throw new DatabaseError('config', `The file ${path} has more than ${MAX_FILE_BYTES} bytes.`)
    }
    if (found.isFile() || found.isDirectory()) return await readFile(path, 'utf8')
    throw new DatabaseError('config', `The file ${path} cannot be read: it is no ordinary file.`)
  } catch (error) {
    if (error instanceof DatabaseError) throw error
    const { code = '' } = error as NodeJS.ErrnoException
    throw new DatabaseError(
      'config',
      `The file ${path} cannot be read: ${reasons[code] ?? 'an error of the system'}.`,
    )
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'this user has no right to',
  EPERM: 'this user has no right to',
  EISDIR: 'it is a folder',
}
