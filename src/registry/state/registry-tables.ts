/**
 * The registry's tables. An entry is stored as JSON, next to columns with the values that it is found by. `changes`
 * has a row for each change, so that an isolate drops only stale entries. `noted_changes` says who made each change,
 * for people to read.
 */
export const tables: readonly string[] = [
  'create table if not exists endpoints (name text not null unique, value text not null)',
  'create table if not exists keys (id text primary key, value text not null) without rowid',
  'create table if not exists groups (name text primary key, value text not null) without rowid',
  'create table if not exists settings (name text primary key, value text not null) without rowid',
  `create table if not exists credentials (id text primary key, endpoint text not null, group_name text,
     key_id text not null, value text not null) without rowid`,
  'create index if not exists credentials_of_endpoint on credentials (endpoint)',
  'create index if not exists credentials_of_group on credentials (group_name)',
  'create index if not exists credentials_by_key on credentials (key_id)',
  'create table if not exists members (member text, group_name text, primary key (member, group_name)) without rowid',
  'create table if not exists changes (version integer primary key autoincrement, kind text not null, name text not null, mark text not null)',
  // The entries in a restore that has not taken effect yet. Only the latest restore has any.
  'create table if not exists staged (restore text, kind text, name text, value text not null, primary key (restore, kind, name)) without rowid',
  'create table if not exists noted_changes (id integer primary key autoincrement, at integer not null, by text not null, what text not null, endpoint text)',
]

/** The tables that hold entries, and the column with each entry's name. */
export const NAMES = {
  endpoints: 'name',
  keys: 'id',
  groups: 'name',
  credentials: 'id',
  settings: 'name',
} as const
