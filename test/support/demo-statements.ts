import { demoStatements } from '../../src/database/demo/statements.ts'

/** The types of the demo store's columns in other engines, for tests. */
const TYPES = {
  postgres: {
    integer: 'integer',
    bigint: 'bigint',
    decimal: 'numeric(12,2)',
    text: 'text',
    boolean: 'boolean',
    date: 'date',
    timestamp: 'timestamptz',
    json: 'jsonb',
  },
  mysql: {
    integer: 'integer',
    bigint: 'bigint',
    decimal: 'decimal(12,2)',
    // Without a length, it could not be unique or part of a key.
    text: 'varchar(255)',
    boolean: 'boolean',
    date: 'date',
    timestamp: 'datetime',
    json: 'json',
  },
} as const

/** The statements that create the demo store in another engine than SQLite. */
export const demoIn = (engine: keyof typeof TYPES): string =>
  [...demoStatements(TYPES[engine])].join(';\n')
