import type { Rules } from '../rules.ts'
import { either } from '../words.ts'

/**
 * The `pg_` functions that only read, and types. All other names with the prefix are refused, known or not. Names can
 * be at most 63 characters long.
 */
const looking = either(
  'get_(?!wal|logical|process|triggerdef)\\w{1,60} stat_get_\\w{1,60} \\w{1,60}_is_visible typeof backend_pid',
  'size_pretty size_bytes column_size column_compression relation_size',
  'total_relation_size table_size indexes_size database_size tablespace_size',
  'encoding_\\w{1,60} char_to_encoding client_encoding has_role my_temp_schema',
  'is_in_recovery postmaster_start_time conf_load_time blocking_pids',
  'safe_snapshot_blocking_pids last_xact_replay_timestamp current_wal_\\w{0,60}lsn',
  'last_wal_(?:receive|replay)_lsn wal_lsn_diff timezone_(?:abbrevs|names)',
  'index(?:am)?_\\w{0,60}has_property describe_object identify_object\\w{0,60}',
  'split_walfile_name options_to_table tablespace_location tablespace_databases collation_for',
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
  // Settings, sequences, transaction IDs, large objects, the bytes in any table.
  'nextval txid_current lo_(?:creat|create|import|unlink|close|get|tell\\w*) get_raw_page',
  'bt_(?:metap|page|multi|index)\\w* hash_bitmap_info setseed set_limit isn_weak',
  // Running a string as SQL, on this connection or another.
  '(?:query|table|schema|database|cursor)_to_xml\\w* ts_stat xpath_table',
  'crosstab\\w* connectby dblink\\w* postgres_fdw_\\w+ oracle_execute',
  // pg_graphql, pg_duckdb and pgTAP.
  'resolve raw_query (?:lives|throws|performs)_\\w+ is(?:nt)?_empty',
  // pgRouting and PGroonga.
  'pgr_\\w+ pgroonga_(?:command|set_writable|vacuum|wal_\\w+|database_\\w+)',
  'run_command_on_\\w+ master_run_on_worker unschedule (?:add|alter|delete|run)_job',
  // External access: pgsql-http, pg_net, aws_s3, aws_lambda, libxslt.
  'http(?:_(?:get|post|put|patch|delete|head|(?:re)?set_curlopt))?',
  'query_export_to_s3 table_import_from_s3 xslt_process',
  // Changes to a cluster's files during an upgrade.
  'binary_upgrade_\\w+',
  // Maintenance that a read-only transaction does not stop.
  'brin_(?:de)?summarize\\w* gin_clean_pending_list heap_force_\\w+ normal_rand',
  // Functions that lock or start a process.
  'verify_heapam gin_index_check autoprewarm_\\w+',
)

const calls = either(
  attributes,
  // Functions with several arguments: columns can have these names, too.
  'set_config setval lo(?:_\\w+|read|write|creat|open|close|unlink)?',
  'schedule(?:_in_database)? invoke\\w*',
  // Extensions that change a session's role or claims: set_user, pg_session_jwt.
  '(?:re)?set_user set_session_auth jwt_session_init',
  // `treat(x as f)` is the call `f(x)` for any f.
  'treat',
  // azure_storage, and orafce's file functions.
  'blob_(?:put|get|list) f(?:open|remove|rename|copy) put_line wait(?:one|any)',
  // An XPath with nested conditions runs for days, and PostgreSQL cannot interrupt it.
  'xpath xpath_exists xmlexists xmltable xpath_(?:string|number|bool|nodeset|list)',
  // Apache AGE, Citus, pg_net and pgTAP.
  'cypher create_intermediate_results? worker_partition_query_result worker_restart',
  '(?:results|set|bag|row)_(?:eq|ne|has|hasnt)',
)

const option = [
  '(?:verbose|costs|settings|generic_plan|buffers|summary|memory|timing|wal)(?: (?:true|false|on|off|0|1))?',
  'format (?:text|json|xml|yaml)',
  'serialize \\w+',
  'analyze (?:false|off|0)',
].join('|')

/** Rules for how PostgreSQL parses a statement, and for side effects in one that begins like a read. */
export const rules: Rules = {
  // Assumes that standard_conforming_strings is on. A driver has to ensure that.
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
  attributeFunctions: new RegExp(`^(?:${attributes}|current_setting)$`),
  rowColumns:
    /^(?:nextval|unschedule|http_(?:get|post|put|patch|delete|head)|resolve|is(?:nt)?_empty|current_setting)$/,
  // It takes a row of the type `http_request`. PostgreSQL converts any query row to it.
  tableColumns: /^http$/,
  refusedWithTwoArguments: /^ts_rewrite$/,
  hiddenRelations: new RegExp(
    `^(?:${either(
      'pg_authid pg_shadow _?pg_user_mappings? user_mapping_options pg_largeobject',
      'pg_subscription pg_hba_file_rules pg_ident_file_mappings pg_file_settings',
      // These can contain a password, too.
      'srvoptions _?pg_foreign_servers? foreign_server_options pg_dist_authinfo',
      // Values from all tables. For a superuser, that includes password hashes.
      'pg_stats(?:_ext)?(?:_exprs)? pg_statistic(?:_ext_data)? pg_toast_\\d+',
      'decrypted_secrets',
      // These show the settings of roles and databases, such as `pgrst.jwt_secret`.
      'pg_db_role_setting pg_roles pg_user',
      // The arguments of triggers: a Supabase webhook has its Authorization header there.
      'pg_trigger action_statement',
    )})$`,
  ),
  // The same arguments, for the owners of the tables.
  hiddenQualified: /^information_schema\.triggers$/,
  // PostgreSQL's own settings, and the caller's own claims. A custom setting has a dot in its name.
  readableSettings:
    /^(?:\w+|time zone|transaction isolation level|session authorization|request\.[\w.]+)$/i,
  settingFunction: /^current_setting$/,
  refusedClauses: ['into', 'for update', 'for no key', 'for share', 'for key'],
}
