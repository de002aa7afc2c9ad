import type { Database } from '../../src/database/database.ts'
import type { Machine } from '../../src/database/machine.ts'
import { locate } from '../../src/database/open.ts'
import { machineWith, type OwnMachine } from '../../src/node/machine.ts'

/** This machine, without its variables and its user's files, except those from the test. */
export const testMachine = (given: Partial<Machine> = {}): OwnMachine =>
  machineWith({}, { home: '/nonexistent', user: 'nobody-here', ...given })

/** Opens a database like the gateway on a machine. */
export const openOn = (machine: Machine, url: string): Promise<Database> =>
  locate(url, { fetch, bindings: {}, machine }).open()
