import type { Rules } from '../rules.ts'
import { either } from '../words.ts'

/** Functions that lock, wait, reach files or other servers, or run what they are given. */
const calls = either(
  'sleep benchmark load_file nextval setval',
  'get_lock release_lock release_all_locks',
  // Waiting for replication, and steering it.
  'master_\\w*wait source_pos_wait wait_for_\\w+ wait_until_\\w+ wsrep_\\w+',
  'group_replication_\\w+ asynchronous_connection_failover_\\w+',
  // Of components and engines: locks, tokens, keys, audit, firewall, other servers.
  'service_(?:get|release)_\\w+ version_tokens_\\w+ keyring_\\w+ audit_\\w+',
  '(?=\\w*firewall)\\w+ spider_\\w+',
  'mroonga_command load_rewrite_rules gen_dictionary_\\w+ masking_dictionar\\w+',
  // Of Aurora, and of what people load: programs, files, HTTP.
  'lambda_a?sync aws_\\w+ sys_(?!guid$)\\w+ lib_mysqludf_\\w+ http_\\w+',
)

/** How MySQL and MariaDB read a statement, and what they do in one that begins like a read. */
export const rules: Rules = {
  // As without ANSI_QUOTES and NO_BACKSLASH_ESCAPES: a driver has to make sure of that.
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
  hiddenRelations: /^(?:mysql|authentication_string)$/,
  refusedClauses: [
    'into',
    'for update',
    'for share',
    'lock in',
    'next value for',
    // They tell the hash of a password.
    'show grants',
    'show create user',
    // As EXPLAIN, whose words they stand for.
    'describe analyze',
    'desc analyze',
  ],
  explainAlternative: 'For the columns of a table, write DESCRIBE.',
}
