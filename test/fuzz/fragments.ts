/**
 * Fragments that engines read differently: quotes, comments, parameters and white space, alone and
 * nested. Every engine gets all of them, because a quote in one engine is an operator in another.
 */
export const FRAGMENTS: readonly string[] = [
  // Quotes, and quotes inside quotes.
  ...["'", '"', '`', '[', ']', "''", '""', '``', "'a'", '"a"', '`a`', '[a]', "'a''b'", '"a""b"'],
  ...[`'"'`, `"'"`, "`'`", "'`'", "[']", "']'", '["]', '"]"', "['", "']", '[`]', '"`"', "'[' "],
  // Strings with a prefix.
  ...["e'a'", "E'\\''", "e'\\", "n'a'", "N'\\''", "x'41'", "X'", "b'1'", "B'", "_utf8'a'", "r'\\'"],
  ...["U&'\\0041'", 'U&"\\0041"', 'u&"', "U&'", " uescape '!'", "name'a'", "date '2020-01-01'"],
  ...["'a'\n'b'", "E'a'\n'\\''", "'a' 'b'", "e'a' /* */\n'\\'", "E'a' -- x\n'\\''", "q'['a]'"],
  // Backslashes.
  ...['\\', "\\'", '\\"', '\\`', "'\\'", "'\\''", '"\\"', '"\\""', '`\\`', '`\\``', "'\\\\'"],
  ...["'\\\\''", "''\\'", '\\\\', '\\\n', '\\N'],
  // Comments, and text that is a comment only in some engines.
  ...['/*', '*/', '/**/', '/*/', '/*/*', '*/*/', '/* /* */', '/* */ */', "/*'*/", '/*"*/', '/*`*/'],
  ...['/*!', '/*! ', '/*!50000 ', '/*!99999 ', '/*M!', '/*M!100000 ', '/*!*/', '/* !', '/*+ a */'],
  ...['--', '-- ', '--\n', "-- '\n", "--'\n", "--'", "-- '", '--1', '--a', '--\r', '-- \r', '--\t'],
  ...["-- '\r", '--\u0085', '--\u00a0', '-- \u2028', '--\u0001', '--\f', '- -', '--"', '-- "'],
  ...[
    '#',
    '# ',
    '#\n',
    "#'\n",
    "#'",
    "# '",
    '#"\n',
    '#\r',
    '#a',
    '//',
    "//'\n",
    '#!',
    ';',
    '\n--\n',
  ],
  ...["/* /* */ ' */", "/* /* ' */", "/*/**/'*/", "/*'/**/", '/* /* " */', "--\r'", "-- '\r"],
  // Dollars and parameters.
  ...[
    '$$',
    '$a$',
    "$$'$$",
    "$a$'$a$",
    '$a$$',
    '$A$',
    '$é$',
    '$1$',
    'a$$',
    '1$$',
    '$',
    '$a',
    'a$a$',
  ],
  ...[
    '$1',
    '$1a',
    '?',
    '?1',
    ':a',
    '@a',
    '@@a',
    ':1',
    '$a(',
    "$a(')",
    '$a(")',
    '$a::b(',
    "$a::b(')",
  ],
  ...['@a(', "@a(')", ':a(', ":a(')", "#a('", '#a', "@'a'", '@"a"', '@`a`', "@'", '$::(', "$::(')"],
  // White space, and characters that are white space only in some engines.
  ...[
    ' ',
    '\n',
    '\r',
    '\r\n',
    '\t',
    '\v',
    '\f',
    '\0',
    '\x1a',
    '\x7f',
    '\u00a0',
    '\u0085',
    '\ufeff',
  ],
  ...['\u200b', '\u2028', '\u3000', '\ud800', '\udc00'],
  // Operators and numbers, and text that touches them.
  ...[
    '+',
    '-',
    '*',
    '/',
    '%',
    '||',
    '->',
    '->>',
    '@>',
    '!',
    '~',
    '<',
    '=',
    '&',
    '|',
    '^',
    ',',
    '.',
  ],
  ...['(', ')', '{', '}', '::', '::text', ':=', '=>', '+-', '*-', '@-', '<--', '+/*', '-/*', '@--'],
  ...['1', '1.', '.5', '1e', '1e5', '1e-', '0x', '0x1f', '0b1', '0o7', '1_0', '1a', '1é', '2.e1'],
  // Words.
  ...['a', 'e', 'n', 'x', 'u', 'é', '\u212a', 'select ', ' from users', ' where ', ' as ', ' as a'],
  ...[
    ' union select 1',
    ' with ',
    ' limit 1',
    ' null',
    ' and 1',
    ' or 1',
    ' values ',
    ' table ',
    '()',
  ],
]

/**
 * Ends of a text that close whatever may still be open, and continue like a query: comments at the end
 * of a text are not sent, and anything open at the end is an error.
 */
export const ENDS: readonly string[] = [
  ...[
    " -- '",
    ' -- "',
    ' -- `',
    " --'",
    " /*'*/",
    ' /*"*/',
    ' */',
    " #'",
    "'",
    '"',
    '`',
    ']',
    '$$',
  ],
  ...[
    '\n limit 1',
    '\n, 1',
    '\n+1',
    "\n union select 'a'",
    '\n)',
    ')',
    " '",
    "*/'",
    '-- ]',
    '--$$',
  ],
]

/**
 * Pairs that hide the text between them from a parser that does not know one rule of the dialect, or
 * show it only to such a parser.
 */
export const HIDES: readonly (readonly [before: string, behind: string])[] = [
  ["'\\''", " -- '"],
  ["'\\'", "'"],
  ["E'\\''", " --'"],
  ["e'a'\n'\\''", " --'"],
  ['"\\"', ' -- "'],
  ['`\\`', ' -- `'],
  ["/* /* */ '*/", " --'"],
  ["/* /* */ */ '", "'"],
  ["/* ' */", " -- '"],
  ['/*!', '*/'],
  ['/*M!', '*/'],
  ['/*!50000 ', '*/'],
  ['--\r', '\n limit 1'],
  ["-- '\r", "\n+'1'"],
  ['--1', '\n limit 1'],
  ["--'\n", " -- '"],
  ["#'\n", " -- '"],
  ['#', '\n limit 1'],
  ["$$'$$", " --'"],
  ["$a$'$a$", " --'"],
  ["a$$'", "'$$"],
  ["[']", " --'"],
  ["`'`", " -- '"],
  [`"'"`, " -- '"],
  [`'"'`, ' -- "'],
  ["$a(')", " --'"],
  ["@a::b(')", " --'"],
  [":a('", "')"],
]

/** Separators of words, for use in place of a space. */
export const GAPS: readonly string[] = [
  ...['\n', '\t', '\r\n', '\r', '  ', '/**/', '/* a */', "/*'*/", '/*"*/', '/*;*/', '/* /* */ */'],
  ...[
    '-- a\n',
    "-- '\n",
    '--\n',
    '-- ;\n',
    '# a\n',
    "#'\n",
    '/* -- */',
    '/*\n*/',
    '--a\n',
    '-- \r\n',
  ],
  ...['\u00a0', '\f', '\v', '\u2028', '/*!*/', '/*! */', '/* \\*/', '-- \\\n', '/*$$*/', '/*`*/'],
]

/** Pieces for the inside of a string or a quoted name, which would have a meaning outside the quotes. */
export const INSIDES: readonly string[] = [
  ...[
    'a',
    ' ',
    '--',
    '-- ',
    '/*',
    '*/',
    '#',
    ';',
    '\\',
    '\\\\',
    '$$',
    '$a$',
    '`',
    '"',
    "'",
    '[',
    ']',
  ],
  ...[
    'é',
    '\n',
    '\r',
    '(',
    ')',
    '%',
    '\u2028',
    '?',
    ':a',
    '$1',
    'select',
    ' into ',
    '/*!',
    '\\n',
    '!',
  ],
]

/** Text that must not run, as it could follow a query, and statements that do more than read. */
export interface Payloads {
  readonly tails: readonly string[]
  readonly statements: readonly string[]
  /** Typical queries of the engine, for tails and mutations. */
  readonly queries: readonly string[]
}

const everywhere: Payloads = {
  tails: [
    ...[
      '; delete from users',
      ';delete from users ',
      '; select 2',
      ';select 2 ',
      '; drop table users',
    ],
    ...['; insert into users (id) values (3) ', '; update users set id = 3 '],
  ],
  statements: [
    'delete from users',
    'insert into users (id) values (3)',
    'update users set id = 3',
    'with a as (select 1) delete from users',
    'with a as (select 1) insert into users (id) select 1',
    'with a as (select 1) update users set id = 3',
    'explain delete from users where id in (select 1)',
    'explain update users set id = (select 1)',
    'explain analyze select 1',
    'drop table users',
  ],
  queries: [
    ...[
      'select 1',
      "select 'a'",
      'select 1 as a',
      'select id from users',
      'values (1)',
      '(select 1)',
    ],
    ...['select email from users where id = 1', 'with a as (select 1 as id) select id from a'],
    ...[
      'select count(*) from users u, orders o',
      'select u.id from users as u',
      'explain select 1',
    ],
    ...['select id, total from orders order by 1', "select replace('a', 'b', 'c')", 'select 1,'],
    ...[
      'select * from users where email in (',
      'select (',
      'select case when 1=1 then ',
      'select -',
    ],
  ],
}

const of = ({ tails, statements, queries }: Payloads): Payloads => ({
  tails: [...everywhere.tails, ...tails],
  statements: [...everywhere.statements, ...statements],
  queries: [...everywhere.queries, ...queries],
})

/** The {@link Payloads} for each engine. */
export const PAYLOADS = {
  sqlite: of({
    tails: [
      ...[
        ", readfile('a') ",
        ', "writefile"(\'a\', 1) ',
        ', [edit](1)',
        ', `eval`(1) ',
        ' from _cf_kv',
      ],
      ...[
        ', (select a from _cf_kv) ',
        ' union select 1 from pragma_database_list ',
        ' from "_cf_kv"',
      ],
      ...[' union select * from [_CF_KV]', ' from pragma_journal_mode', '; pragma user_version=3'],
    ],
    statements: ['pragma user_version = 3', 'replace into users values (3, 4)', 'vacuum', 'begin'],
    queries: [
      ...['explain query plan select 1', 'select $a', 'select ?1', 'select [id] from [users]'],
      ...[
        "select 'a' -> 'b'",
        'select "id" from `users`',
        "select x'41'",
        'select * from pragma_table_info(',
      ],
    ],
  }),
  postgres: of({
    tails: [
      ...[
        ' into x',
        ' into temp x ',
        ' for update',
        ' for no key update ',
        ' for share',
        ' for key share ',
      ],
      ...[
        ', pg_sleep(1) ',
        ', "pg_read_file"(\'a\') ',
        ", nextval('s') ",
        ", ('a'::text).pg_ls_dir ",
      ],
      ...[
        ' from pg_authid',
        ' union select 1 from "pg_shadow" ',
        ', (select 1 from pg_catalog.pg_authid) ',
      ],
      ...[
        ', U&"pg\\005fsleep"(1) ',
        ', U&"pg!_005fsleep"(1) ',
        ', $1.pg_sleep ',
        ", set_config('a', 'b', true)",
      ],
    ],
    statements: [
      ...[
        'with a as (delete from users returning id) select id from a',
        'lock table users',
        'begin',
      ],
      ...[
        'with recursive a as (select 1) search depth first by x set y delete from users',
        'call a()',
      ],
      ...['explain (analyze) select 1', 'explain (analyze true, verbose) select 1', "set a to 'b'"],
      ...['merge into users using orders on true when matched then delete', 'execute a', 'do $$$$'],
      ...['with a as (select 1) merge into users using a on true when matched then delete'],
    ],
    queries: [
      ...[
        'table users',
        'show server_version',
        'explain (verbose, format json) select 1',
        'select $1',
      ],
      ...[
        "select E'\\n'",
        'select $$a$$',
        "select 'a'::text",
        'select array[1]',
        'select "id" from "users"',
      ],
      ...[
        'select (u).id from users u',
        'select a[1] from x',
        "select interval '1 day'",
        'select (u).id.',
      ],
    ],
  }),
  mysql: of({
    tails: [
      ...[' into @x', " into outfile '/tmp/tidegate_fuzz'", ' into @x ', ' from users for update'],
      ...[' from users lock in share mode', ' from users for update ', ', next value for s '],
      ...[', default(id) from orders', ', `default` (id) from orders o ', ', nextval(s) '],
      ...[
        ', sys_eval(1) ',
        ', `sys_eval`(1) ',
        ', (select 1 from mysql.user) ',
        ' from `mysql`.`user`',
      ],
      ...[
        ' union select authentication_string from mysql.user ',
        '; set @x = 1',
        ' from users for share',
      ],
    ],
    statements: [
      ...[
        'show grants',
        'show create user',
        'replace into users values (3, 4)',
        'set @a = 1',
        'do 1',
      ],
      ...['explain extended delete from users where id in (select 1)', 'describe analyze select 1'],
      ...['analyze select 1', 'check table users', 'desc analyze select 1', 'start transaction'],
      ...[
        'desc update users set id = 3',
        'describe extended delete from users',
        'desc format=json replace users values (3, 4)',
      ],
      ...[
        'insert into users values (3, 4) returning id',
        'handler users open',
        'show grants for a',
      ],
    ],
    queries: [
      ...[
        'show tables',
        'describe users',
        'desc users',
        'show create table users',
        'select "a"',
        'select !1',
      ],
      ...[
        'explain format=json select 1',
        'select `id` from `users`',
        'select @a',
        'select 1 -- a\n',
        'select 1-',
      ],
      ...[
        "select 'a' 'b'",
        'select 1 as `a`',
        "select _utf8mb4'a'",
        'select 5 div 2',
        'select `id` from users',
      ],
    ],
  }),
  clickhouse: of({
    tails: [
      ...[', sleep(1) ', ', `sleep`(1) ', ', "file"(\'a\') ', ', arrayMap(sleep, [1]) '],
      ...[' from url(1) ', ' union all select 1 from system.zookeeper ', ' format JSON '],
      ...[' settings max_threads = 1', " into outfile 'a'", ', (select 1 from `remote`(1)) '],
      ...[" //'\n, sleep(1) -- '", ", '\\'', sleep(1) -- '", " as `\\`'`, sleep(1) -- '"],
    ],
    statements: [
      ...['insert into users values (1)', 'with a as (select 1) insert into users select 1'],
      ...['drop table users', 'kill query where 1', 'set max_threads = 1', 'system reload config'],
      ...[
        'explain ast drop table users',
        'use system',
        'optimize table users',
        'check table users',
      ],
    ],
    queries: [
      ...[
        'show tables',
        'describe table users',
        'exists table users',
        'select $$a$$',
        'select 1?2:3',
      ],
      ...['explain syntax select 1', 'from users select id', 'select * apply(toString) from users'],
      ...['select `id` from `users`', 'select "id" from "users"', "select x'41'", 'select [1][1]'],
      ...["select 'a' || 'b'", 'select tuple(1).1', 'select arrayMap(x -> x, [1])', 'select 5 / 2'],
      ...["select '\\''", "select 1 # '\n", "select $$'$$"],
    ],
  }),
} as const
