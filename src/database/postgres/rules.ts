import type { Rules } from '../rules.ts'
import { either } from '../words.ts'

/**
 * The `pg_` functions that only read, and types. All others with the prefix are refused, known or not. A name has at
 * most 63 characters.
 */
const looking = either(
  'get_(?!wal|logical|process)\\w{1,60} stat_get_\\w{1,60} \\w{1,60}_is_visible typeof backend_pid',
  'size_pretty size_bytes column_size column_compression relation_size',
  'total_relation_size table_size indexes_size database_size tablespace_size',
  'encoding_\\w{1,60} char_to_encoding client_encoding has_role my_temp_schema',
  'is_in_recovery postmaster_start_time conf_load_time blocking_pids',
  'safe_snapshot_blocking_pids last_xact_replay_timestamp current_wal_\\w{0,60}lsn',
  'last_wal_(?:receive|replay)_lsn wal_lsn_diff timezone_(?:abbrevs|names)',
  'index(?:am)?_\\w{0,60}has_property describe_object identify_object\\w{0,60}',
  'options_to_table tablespace_location tablespace_databases collation_for',
  'partition_(?:tree|ancestors|root) input_is_valid input_error_info',
  'relation_(?:filenode|filepath|is_\\w{1,60}) filenode_relation column_is_updatable',
  '\\w{0,60}collation_actual_version settings_get_flags jit_available trigger_depth',
  'sequence_parameters sequence_last_value listening_channels is_other_temp_schema',
  'current_xact_id_if_assigned current_snapshot visible_in_snapshot xact_status',
  'snapshot(?:_\\w{1,60})? lsn(?:_\\w{1,60})? xact_commit_timestamp\\w{0,60} node_tree mcv_list\\w{0,60}',
)

/** Functions that can be called with one value. */
const attributes = either(
  `pg_(?!(?:${looking})$).*`,
  // Settings, sequences, transaction ids, large objects, the bytes of any table.
  'nextval txid_current lo_(?:creat|create|import|unlink|close|get) get_raw_page',
  'bt_(?:metap|page|multi|index)\\w* hash_bitmap_info setseed set_limit isn_weak',
  // A text as SQL, on this connection or another.
  '(?:query|table|schema|database|cursor)_to_xml\\w* ts_stat xpath_table',
  'crosstab\\w* connectby dblink\\w* postgres_fdw_\\w+ oracle_execute',
  'run_command_on_\\w+ master_run_on_worker unschedule (?:add|alter|delete|run)_job',
  // The world outside: pgsql-http, pg_net, aws_s3, aws_lambda, libxslt.
  'http(?:_(?:get|post|put|patch|delete|head|(?:re)?set_curlopt))?',
  'query_export_to_s3 table_import_from_s3 xslt_process',
  // Maintenance that a read-only transaction does not stop.
  'brin_(?:de)?summarize\\w* gin_clean_pending_list heap_force_\\w+ normal_rand',
  // They lock, or start a process.
  'verify_heapam gin_index_check autoprewarm_\\w+',
)

const calls = either(
  attributes,
  // Of several values: columns have these names, too.
  'set_config setval lo(?:_\\w+|read|write|creat|open|close|unlink)?',
  'schedule(?:_in_database)? invoke\\w*',
  // Extensions that change the role or the claims of a session: set_user, pg_session_jwt.
  '(?:re)?set_user set_session_auth jwt_session_init',
  // azure_storage, and the files of orafce.
  'blob_(?:put|get|list) f(?:open|remove|rename|copy)',
)

const option = [
  '(?:verbose|costs|settings|generic_plan|buffers|summary|memory|timing|wal)(?: (?:true|false|on|off|0|1))?',
  'format (?:text|json|xml|yaml)',
  'serialize \\w+',
  'analyze (?:false|off|0)',
].join('|')

/** How PostgreSQL reads a statement, and what it does in one that begins like a read. */
export const rules: Rules = {
  // As with standard_conforming_strings on: a driver has to make sure that it is.
  lexis: {
    doubleQuotes: 'name',
    escapePrefixes: true,
    dollarQuotes: true,
    nestedComments: true,
    returnEndsComment: true,
  },
  readVerbs: ['select', 'with', 'values', 'table', 'show', 'explain'],
  explainOptions: new RegExp(`^(?:verbose|\\( (?:${option})(?: , (?:${option}))* \\))?$`),
  refusedFunctions: new RegExp(`^(?:${calls})$`),
  attributeFunctions: new RegExp(`^(?:${attributes})$`),
  refusedWithTwoArguments: /^ts_rewrite$/,
  hiddenRelations: new RegExp(
    `^(?:${either(
      'pg_authid pg_shadow _?pg_user_mappings? user_mapping_options pg_largeobject',
      'pg_subscription pg_hba_file_rules pg_ident_file_mappings pg_file_settings',
      // They may hold a password, too.
      'srvoptions _?pg_foreign_servers? foreign_server_options pg_dist_authinfo',
      // Values of all tables: to a superuser, the hashes of passwords.
      'pg_stats(?:_ext)?(?:_exprs)? pg_statistic(?:_ext_data)? pg_toast_\\d+',
      'decrypted_secrets',
    )})$`,
  ),
  refusedClauses: ['into', 'for update', 'for no key', 'for share', 'for key'],
}
