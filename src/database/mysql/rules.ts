import type { Rules } from '../rules.ts'
import { either } from '../words.ts'

/** Functions that lock, wait, access files or other servers, or run code passed to them. */
const calls = either(
  'sleep benchmark load_file binlog_gtid_pos nextval setval',
  'get_lock release_lock release_all_locks',
  // The number of hash rounds is an argument. Neither a limit nor KILL stops `encrypt`.
  'encrypt kdf',
  // An XPath with nested conditions cannot be stopped, either.
  'extractvalue updatexml',
  // Runs a column's default expression, which can advance a sequence.
  'default',
  // Waiting for replication, and controlling it.
  'master_\\w*wait source_pos_wait wait_for_\\w+ wait_until_\\w+ wsrep_\\w+',
  'group_replication_\\w+ asynchronous_connection_failover_\\w+',
  // From components and engines: locks, tokens, keys, audit, firewall, other servers.
  'service_(?:get|release)_\\w+ version_tokens_\\w+ keyring_\\w+ audit_\\w+',
  '(?=\\w*firewall)\\w+ spider_\\w+',
  'mroonga_command load_rewrite_rules gen_dictionary_\\w+ masking_dictionar\\w+',
  // Functions of MariaDB's CONNECT engine: files, and variables of the server's process.
  '(?=[jb]\\w*file)\\w+ envar',
  // From Aurora and from common loadable functions: programs, files, HTTP.
  'lambda_a?sync aws_\\w+ sys_(?!guid$)\\w+ lib_mysqludf_\\w+ http_\\w+',
)

/** Rules for how MySQL and MariaDB parse a statement, and for side effects in one that begins like a read. */
export const rules: Rules = {
  // Assumes that ANSI_QUOTES and NO_BACKSLASH_ESCAPES are off. A driver has to ensure that.
  lexis: {
    doubleQuotes: 'text',
    backticks: true,
    backslashes: true,
    hashComments: true,
    spacedDashes: true,
    runningComments: true,
    digitNames: true,
  },
  readVerbs: ['select', 'with', 'values', 'table', 'show', 'describe', 'desc', 'explain'],
  explainOptions: /^(?:extended|partitions|format = (?:json|tree|traditional))?$/,
  refusedFunctions: new RegExp(`^(?:${calls})$`),
  // Reading a table that matches the last pattern resets the server's counters.
  hiddenRelations: /^(?:mysql|authentication_string|innodb_cmp\w*_reset)$/,
  refusedClauses: [
    'into',
    'for update',
    'for share',
    'lock in',
    'next value for',
    // These show a password or its hash. The last two show other users' statements, including those that create users.
    'show grants',
    'show create user',
    'show create server',
    'show binlog events',
    // A connection name can come between SHOW RELAYLOG and EVENTS.
    'show relaylog',
    // Same as EXPLAIN: they are synonyms.
    'describe analyze',
    'desc analyze',
  ],
  explainAlternative: 'For the columns of a table, write DESCRIBE.',
}
