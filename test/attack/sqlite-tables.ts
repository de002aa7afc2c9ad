/** Statements that create the tables of the corpus, and can run again. In workerd, FTS is FTS5. */
export const tables = (fts: 'fts4' | 'fts5'): readonly string[] => [
  'create table if not exists users (id integer primary key, email text)',
  `insert or ignore into users
    values (1, 'a@example.com'), (2, 'b@example.com'), (3, null), (4, 'd@example.com')`,
  'create table if not exists orders (id integer primary key)',
  `insert or ignore into orders (id)
    with recursive n(id) as (select 1 union all select id + 1 from n limit 50) select id from n`,
  // With this name, a statement can look like a table.
  'create table if not exists reindex (id integer)',
  // Rows that are inserted one by one create a segment each, for a function to merge.
  `create virtual table if not exists notes using ${fts}(body)`,
  ...['one two', 'two three', 'three four'].map(
    (body, i) => `insert into notes (rowid, body) select ${i + 1}, '${body}'
      where not exists (select 1 from notes where rowid = ${i + 1})`,
  ),
]
