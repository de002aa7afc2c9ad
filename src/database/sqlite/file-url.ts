import { DatabaseError } from '../error.ts'

/** The forms of these URLs, for error messages. */
const FORMS = 'Write sqlite:shop.sqlite, sqlite:/data/shop.sqlite or sqlite:~/shop.sqlite.'

/** Converts a path to the URL of a SQLite file: `./shop.sqlite`, `C:\data\shop.sqlite`. */
export const urlOfFile = (path: string): string =>
  `sqlite:${path.replace(/[%?#\s]/g, (it) => encodeURIComponent(it)).replace(/^\/\//, '/%2F')}`

/**
 * Reads the path from a SQLite file's URL. A relative path stays relative, and `~` is the user's home folder. Throws
 * {@link DatabaseError}.
 */
export function pathOf({ host, pathname, searchParams, hash }: URL, home: string): string {
  for (const [name, value] of searchParams) {
    if (name === 'mode' && value === 'ro') continue
    throw fault(
      'The URL for a SQLite file cannot have parameters: the file is always opened read-only.',
    )
  }
  if (hash) throw fault('The path to a SQLite file contains a #: write it as %23.')
  if (host && host !== 'localhost') {
    throw fault(`The URL for a SQLite file must have a path and no host. ${FORMS}`)
  }
  const path = decoded(pathname)
  if (path === '' || path === '/' || path.includes('\0')) {
    throw fault(`The URL for a SQLite file must have a path. ${FORMS}`)
  }
  if (/^:memory:$/i.test(path)) {
    throw fault(`An in-memory database is empty and ends with its program. ${FORMS}`)
  }
  if (/^~(?:[/\\]|$)/.test(path)) return home + path.slice(1)
  // The form in which browsers write a Windows drive: file:///C:/data/shop.sqlite
  return path.replace(/^\/(?=[a-z]:[/\\])/i, '')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw fault(
      'The path to a SQLite file contains a % that is not followed by two hex digits: write it as %25.',
    )
  }
}

const fault = (message: string) => new DatabaseError('config', message)
