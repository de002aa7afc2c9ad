import type { Engine } from './database.ts'

/** The URL schemes of each engine, and the folder that serves them, which is loaded at first use. */
export const engines: readonly Engine[] = [
  {
    title: 'SQLite',
    tellsTables: true,
    schemes: ['demo'],
    urlsWithoutSecret: ['demo:'],
    read: () => import('./demo/index.ts'),
  },
  {
    title: 'PostgreSQL',
    schemes: ['postgres', 'postgresql', 'neon', 'hyperdrive'],
    urlsWithoutSecret: ['hyperdrive:BINDING'],
    estimates: ['plan', 'rows'],
    applies: ['role', 'claims'],
    read: () => import('./postgres/index.ts'),
  },
  {
    title: 'PostgreSQL',
    schemes: ['supabase'],
    estimates: ['plan', 'rows'],
    applies: ['role', 'claims'],
    read: () => import('./supabase/index.ts'),
  },
  {
    title: 'SQLite',
    tellsTables: true,
    schemes: ['d1', 'libsql', 'turso', 'sqlite', 'file'],
    urlsWithoutSecret: ['d1:BINDING', 'sqlite:PATH'],
    read: () => import('./sqlite/index.ts'),
  },
  {
    title: 'SQLite',
    tellsTables: true,
    schemes: ['rqlite', 'rqlites'],
    read: () => import('./rqlite/index.ts'),
  },
  {
    title: 'MySQL',
    schemes: ['mysql', 'mariadb', 'planetscale'],
    estimates: ['plan', 'rows'],
    applies: ['role'],
    read: () => import('./mysql/index.ts'),
  },
  {
    title: 'ClickHouse',
    schemes: ['clickhouse', 'clickhouses'],
    estimates: ['rows'],
    applies: ['role'],
    read: () => import('./clickhouse/index.ts'),
  },
]
