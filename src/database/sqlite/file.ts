import type { Driver } from '../database.ts'
import { DatabaseError } from '../error.ts'
import { sqlite } from './dialect.ts'
import { pathOf } from './file-url.ts'

/** A SQLite file on the machine: `sqlite:shop.sqlite`, `sqlite:/data/shop.sqlite`, `file:./shop.sqlite`. */
export const file: Driver = {
  name: 'sqlite-file',
  opens: ({ protocol }) => protocol === 'sqlite:' || protocol === 'file:',
  open(url, { machine }) {
    const open = machine?.sqlite
    if (!machine || !open) {
      throw new DatabaseError(
        'config',
        machine
          ? 'A URL from the Console or the API cannot refer to files: start npx tidegate with the SQLite file, or with PRIVATE_HOSTS=*.'
          : 'A SQLite file is read on the machine that has it, and there are no files here: run npx tidegate there, or put its tables into D1 or libSQL.',
      )
    }
    const path = pathOf(url, machine.home)
    const opened = () => machine.keep(`sqlite:${path}`, () => open(path))
    return {
      dialect: {
        ...sqlite,
        inspectRole: async (ask) => (await import('./roles.ts')).inspectFile(ask, path, opened()),
      },
      refusesBy:
        'on a file that is opened read-only, after SQLite has shown that their program does not write',
      query: (statement, limits) => opened().read(statement, limits),
    }
  },
}
