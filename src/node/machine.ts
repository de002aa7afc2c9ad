import { readFile, stat } from 'node:fs/promises'
import { homedir, userInfo } from 'node:os'
import { type Closable, DatabaseError, type FileState, type Machine } from '../database/index.ts'
import type { certificateOf } from './certificate.ts'
import { checkedWay } from './checked-way.ts'
import { logged } from './logged.ts'
import { sqliteFile } from './sqlite/file.ts'

/** Maximum size of a file that a URL names, in bytes. Certificates and keys are far smaller. */
const MAX_FILE_BYTES = 1024 * 1024

/** This machine, for the drivers, with a way to close its open resources. */
export interface OwnMachine extends Machine, Closable {
  close(): Promise<void>
}

/** This machine, with these variables. `given` replaces parts of it. */
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
    certificate: (server, signal) => seen(server, own.dial, signal),
    keep<It extends Closable>(name: string, make: () => It): It {
      const found = (kept.get(name) as It | undefined) ?? make()
      kept.set(name, found)
      return found
    },
    ...given,
    async close() {
      // They stay in the map, so a call that is still running does not reopen a closed one.
      await Promise.all(
        [...kept.values()].map(async (it) => it.close()).map((it) => it.catch(logged)),
      )
    },
  }
  return { ...own, guest: (allowed) => guestOf(own, allowed) }
}

/** A machine restricted for someone else. Its connections are separate, since others can use a password from a file. */
function guestOf({ platform, dial, keep }: Machine, allowed: readonly string[]): Machine {
  // Each list has its own connections, so a host that is no longer allowed is not reached over an old one.
  const known = `guest ${[...new Set(allowed)].toSorted().join(' ')}`
  const way = keep(`${known}: the way`, () => checkedWay(allowed, dial))
  return {
    isGuest: true,
    platform,
    variables: {},
    home: '',
    user: '',
    dial: way.dial,
    fetch: way.fetch,
    certificate: (server, signal) => seen(server, way.dial, signal),
    look: async () => undefined,
    async readFile() {
      throw new DatabaseError('config', 'The database URL names a file, which is not allowed here.')
    },
    keep: (name, make) => keep(`${known} ${name}`, make),
  }
}

const seen: typeof certificateOf = async (...of) =>
  (await import('./certificate.ts')).certificateOf(...of)

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
    // Other kinds of files, such as devices, can be endless.
    const found = await stat(path)
    if (found.isFile() && found.size > MAX_FILE_BYTES) {
      throw new DatabaseError('config', `The file ${path} has more than ${MAX_FILE_BYTES} bytes.`)
    }
    if (found.isFile() || found.isDirectory()) return await readFile(path, 'utf8')
    throw new DatabaseError('config', `The file ${path} cannot be read: it is not a regular file.`)
  } catch (error) {
    if (error instanceof DatabaseError) throw error
    const { code = '' } = error as NodeJS.ErrnoException
    throw new DatabaseError(
      'config',
      `The file ${path} cannot be read: ${reasons[code] ?? 'a system error'}.`,
    )
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'this user is not allowed to',
  EPERM: 'this user is not allowed to',
  EISDIR: 'it is a folder',
}
