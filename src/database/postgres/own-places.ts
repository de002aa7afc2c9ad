import type { Machine } from '../machine.ts'

/** Where libpq looks for the files that nobody names. https://www.postgresql.org/docs/current/libpq-pgpass.html */
export interface Places {
  readonly passwords: string
  readonly services: string
  /** The folder of certificates and keys. */
  readonly certificates: string
}

/** The places on a machine: on Windows they are all in one folder. */
export function placesOf({ home, variables }: Machine): Places {
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

/** The path that is meant: no shell reads it, so `~/` is the folder of the user here as well. */
export const pathOf = (written: string, { home }: Machine): string =>
  written.startsWith('~/') ? home + written.slice(1) : written
