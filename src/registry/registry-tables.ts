/**
 * The tables of the registry. An entry is kept as JSON; the columns beside it are what it is found by.
 * `changes` has a row for each change, so that an isolate drops only what is no longer true;
 * `noted_changes` has who made it, for people to read.
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
  'create table if not exists members (member text, group_name text, primary key (member, group_name)) without rowid',
  'create table if not exists changes (version integer primary key autoincrement, kind text not null, name text not null, mark text not null)',
  'create table if not exists noted_changes (id integer primary key autoincrement, at integer not null, by text not null, what text not null, endpoint text)',
]
