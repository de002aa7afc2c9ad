import type { Machine } from '../../machine.ts'

/** libpq's default paths for its files. https://www.postgresql.org/docs/current/libpq-pgpass.html */
export interface LibpqFiles {
  readonly passwords: string
  readonly services: string
  /** The folder with certificates and keys. */
  readonly certificates: string
}

/** The default paths on a machine. On Windows, they are all in one folder. */
export function placesOf({ home, variables }: Machine): LibpqFiles {
  const { APPDATA } = variables
  if (!APPDATA) {
    return {
      passwords: `${home}/.pgpass`,
      services: `${home}/.pg_service.conf`,
      certificates: `${home}/.postgresql`,
    }
  }
  const folder = `${APPDATA}\\postgresql`
  return {
    passwords: `${folder}\\pgpass.conf`,
    services: `${folder}\\.pg_service.conf`,
    certificates: folder,
  }
}

/** Replaces `~/` in a path with the user's home folder, because there is no shell to do it. */
export const pathOf = (written: string, { home }: Machine): string =>
  written.startsWith('~/') ? home + written.slice(1) : written
