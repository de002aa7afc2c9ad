// Files with secrets: no other user of this machine can read or change them, as libpq requires of a password file.
import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'

/** Maximum size of a settings file, in bytes. */
export const MAX_BYTES = 1_000_000

/** Folder in which container engines mount secrets. Root owns them, and others can read them. */
const MOUNTED = /^\/(?:var\/)?run\/secrets\//

/**
 * Reads a file, or the beginning of one that is too large. Throws the system's error.
 *
 * @returns its bytes, and `shared`, the reason that it must not hold a secret, or undefined if it can
 */
export function readFile(path: string): { bytes: Buffer; shared: string | undefined } {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(MAX_BYTES + 1)
    let length = 0
    // Reads at most one byte more than the limit, because a device can be endless.
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null)
    }
    return { bytes: bytes.subarray(0, length), shared: sharedWith(path, fstatSync(file)) }
  } finally {
    closeSync(file)
  }
}

/** Explains why a file or folder must not hold a secret. Undefined if it can, or does not exist. */
export function shared(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && sharedWith(path, found)
}

/** The same for a state file and the files next to it. */
export function sharedState(path: string): string | undefined {
  for (const end of ['', '.objects', '.keys', '-wal', '-shm', '-journal']) {
    const reason = shared(path + end)
    if (reason) return reason
  }
  return undefined
}

function sharedWith(path: string, stats: Stats): string | undefined {
  const own = process.geteuid?.()
  const isFolder = stats.isDirectory()
  // Windows has different permissions. A pipe or another special file belongs to this process.
  if (own === undefined || isInContainer() || !(stats.isFile() || isFolder)) return undefined
  const named = shown(path)
  const chmod = `chmod ${isFolder ? 700 : 600} ${named}`
  const { mode, uid } = stats
  if (uid !== own && uid !== 0)
    return `${named} belongs to another user, who can change it. Make it yours: chown ${own} ${named} && ${chmod}`
  const isMounted = uid === 0 && MOUNTED.test(path)
  const found = mode & (isMounted ? CHANGE : uid === own ? READ | CHANGE : OF_ROOT)
  if (found === 0) return undefined
  return `Other users of this machine can ${found & CHANGE ? 'change' : 'read'} ${named}, which holds secrets. Keep it to yourself: ${chmod}`
}

const READ = 0o055
const CHANGE = 0o022
/** Root can let a group read a file that it stores for a service. */
const OF_ROOT = 0o027

/** In a container there are no other users, and file owners come from another machine. */
const isInContainer = () => Boolean(process.env.container || process.env.KUBERNETES_SERVICE_HOST)

/** Escapes a path for use in a message and in a shell. */
function shown(path: string): string {
  const text = path.replaceAll(/\p{C}/gu, '').slice(0, 200)
  return /^[\w./~+:@%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
