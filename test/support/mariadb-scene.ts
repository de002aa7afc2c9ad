import { attacks } from './attacks.ts'
import type { TestMariaDb } from './mariadb.ts'
import { filesNamedIn, filesSeen, type Scene } from './witness.ts'

/** The tables, routines and other objects that the statements of the corpus use. */
export const setup = `
  create table users (id integer auto_increment primary key, email varchar(80));
  create table orders (id integer auto_increment primary key, user_id integer, total decimal(12, 2));
  insert into users (email) values ${Array.from({ length: 20 }, (_, i) => `('user${i}')`)};
  insert into orders (user_id, total) values ${Array.from({ length: 50 }, (_, i) => `(${i}, ${i})`)};
  create view v as select * from users;
  create sequence s1;
  create procedure empty_users() delete from users;
  create procedure empty_read_write() begin
    set session transaction read write; delete from users;
  end;
  create function emptied() returns int begin delete from users; return 1; end;
`

/**
 * The state of the database that {@link setup} created, of the server's users, settings and lock, and of files.
 * On a server with several test runs, each needs a different lock name. Only its own users and those in its
 * statements count, because others come and go.
 */
export function mariaDbScene(
  {
    admin,
    database,
    owner,
    reader,
    revive,
    lock,
  }: TestMariaDb & Pick<Scene, 'revive'> & { readonly lock?: string },
  statements: readonly string[] = attacks('mysql').map(({ sql }) => sql),
  folders: readonly string[] = [],
): Scene {
  const files = filesNamedIn(statements)
  const words = new Set([owner, reader, ...(statements.join(' ').match(/\w+/g) ?? [])])
  const users = lock === undefined ? '' : `where user in (${[...words].map((it) => `'${it}'`)})`
  const parts = [
    'select * from users',
    'select * from orders',
    'select next_not_cached_value from s1',
    `select last_value as v from (select is_used_lock('${lock ?? 'x'}') as last_value) l`,
    `select table_name, table_type, engine, table_comment from information_schema.tables
      where table_schema = '${database}' order by table_name`,
    `select table_name, column_name, column_type from information_schema.columns
      where table_schema = '${database}' order by table_name, ordinal_position`,
    `select index_name, column_name from information_schema.statistics
      where table_schema = '${database}' order by table_name, index_name, seq_in_index`,
    `select trigger_name from information_schema.triggers where trigger_schema = '${database}'`,
    `select routine_name from information_schema.routines where routine_schema = '${database}'`,
    `select user, host, json_remove(priv, '$.password_last_changed') from mysql.global_priv
      ${users} order by user, host`,
    `select @@global.general_log, @@global.max_connections, @@global.sql_mode, @@global.read_only,
      @@global.log_bin`,
    'select name from mysql.func',
    'select name from mysql.plugin',
    'show slave status',
  ]
  return {
    ...(revive && { revive }),
    async state() {
      const rows = await admin(parts.join(';\n')).catch((error) => {
        if (revive) return []
        throw error
      })
      return `${JSON.stringify(rows)}\n${files.seen()}\n${filesSeen(folders)}`
    },
    async restore() {
      files.removeNew()
      // Otherwise, the drop would wait for sessions that were left in the middle of a transaction.
      const others = await admin(`select id from information_schema.processlist
        where user in ('${owner}', '${reader}')`)
      for (const { id } of others) await admin(`kill ${id}`).catch(() => {})
      await admin('set global general_log = 0; stop slave; reset slave all')
      await admin(`drop database ${database}; create database ${database} character set utf8mb4;
        use ${database}; ${setup}
        grant select on ${database}.* to ${reader}@'%'`)
    },
  }
}
