import { DatabaseError } from '../error.ts'

/** The forms of these URLs, for a sentence. */
const FORMS = 'Write sqlite:shop.sqlite, sqlite:/data/shop.sqlite or sqlite:~/shop.sqlite.'

/** The URL of a SQLite file, made of its path as people write it: `./shop.sqlite`, `C:\data\shop.sqlite`. */
export const urlOfFile = (path: string): string =>
  `sqlite:${path.replace(/[%?#\s]/g, (it) => encodeURIComponent(it)).replace(/^\/\//, '/%2F')}`

/**
 * The path in the URL of a SQLite file. A relative one stays relative, and `~` is the folder of the user.
 * Throws {@link DatabaseError}.
 */
export function pathOf({ host, pathname, searchParams, hash }: URL, home: string): string {
  for (const [name, value] of searchParams) {
    if (name === 'mode' && value === 'ro') continue
    throw fault('The URL of a SQLite file takes no parameters: it is always opened for reading.')
  }
  if (hash) throw fault('The path of a SQLite file has a # in it: write %23 for it.')
  if (host && host !== 'localhost') {
    throw fault(`The URL of a SQLite file names a path and no host. ${FORMS}`)
  }
  const path = decoded(pathname)
  if (path === '' || path === '/' || path.includes('\0')) {
    throw fault(`The URL of a SQLite file lacks the path. ${FORMS}`)
  }
  if (/^:memory:$/i.test(path)) {
    throw fault(`A database in memory is empty and ends with its program. ${FORMS}`)
  }
  if (/^~(?:[/\\]|$)/.test(path)) return home + path.slice(1)
  // As browsers write a drive of Windows: file:///C:/data/shop.sqlite
  return path.replace(/^\/(?=[a-z]:[/\\])/i, '')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw fault('The path of a SQLite file has a % in it that no two hex digits follow: write %25.')
  }
}

const fault = (message: string) => new DatabaseError('config', message)
