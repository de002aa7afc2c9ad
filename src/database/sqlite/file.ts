import type { Driver, UnguardedDatabase } from '../database.ts'
import { DatabaseError } from '../error.ts'
import type { Machine, SqliteFile } from '../machine.ts'
import { sqlite } from './dialect.ts'
import { pathOf } from './file-url.ts'

/** A SQLite file of the machine: `sqlite:shop.sqlite`, `sqlite:/data/shop.sqlite`, `file:./shop.sqlite`. */
export const file: Driver = {
  name: 'sqlite-file',
  opens: ({ protocol }) => protocol === 'sqlite:' || protocol === 'file:',
  open(url, { machine }) {
    const open = machine?.sqlite
    if (!machine || !open) {
      throw new DatabaseError(
        'config',
        machine
          ? 'A URL that came over the Console or the API may name no files: start npx tidegate with the SQLite file, or with PRIVATE_HOSTS=*.'
          : 'A SQLite file is read on the machine that has it, and there are no files here: run npx tidegate there, or put its tables into D1 or libSQL.',
      )
    }
    return behind(pathOf(url, machine.home), machine, open)
  },
}

function behind(
  path: string,
  machine: Machine,
  open: (path: string) => SqliteFile,
): UnguardedDatabase {
  const opened = () => machine.keep(`sqlite:${path}`, () => open(path))
  return {
    dialect: {
      ...sqlite,
      inspectRole: async (ask, by) =>
        (await import('./file-role.ts')).inspectFile(ask, by, path, opened()),
    },
    refusesBy:
      'on a file that is opened for reading alone, after SQLite has shown that their program writes nothing',
    query: (statement, limits) => opened().read(statement, limits),
  }
}
