import { beforeAll, describe, expect, test } from 'vitest'
import { rules } from '../../../src/database/postgres/rules.ts'
import { words } from '../../../src/database/words.ts'
import { refuse } from '../../support/guard.ts'
import { describePostgres } from '../../support/postgres.ts'
import { setup } from '../../support/postgres-scene.ts'

/**
 * The volatile functions that a statement can call and that the guard allows, of PostgreSQL 15 to 18 and its
 * bundled extensions. Each was reviewed: it only computes, it returns public information about the server or the
 * session, or it decodes the bytes of its argument.
 */
const HARMLESS = words(
  'amvalidate array_sample array_shuffle brin_metapage_info brin_page_items brin_page_type',
  'brin_revmap_data clock_timestamp current_query currtid2 currval file_fdw_validator',
  'fsm_page_contents gen_random_uuid gin_leafpage_items gin_metapage_info',
  'gin_page_opaque_info gist_page_items gist_page_items_bytea gist_page_opaque_info',
  'hash_metapage_info hash_page_items hash_page_stats hash_page_type heap_page_item_attrs',
  'heap_page_items heap_tuple_infomask_flags lastval page_checksum page_header',
  'pg_blocking_pids pg_collation_actual_version pg_current_wal_flush_lsn',
  'pg_current_wal_insert_lsn pg_current_wal_lsn pg_database_collation_actual_version',
  'pg_database_size pg_get_aios pg_get_backend_memory_contexts pg_get_loaded_modules',
  'pg_get_multixact_members pg_get_sequence_data pg_get_shmem_allocations',
  'pg_get_shmem_allocations_numa pg_get_wait_events pg_indexes_size pg_is_in_recovery',
  'pg_jit_available pg_last_wal_receive_lsn pg_last_wal_replay_lsn',
  'pg_last_xact_replay_timestamp pg_partition_ancestors pg_partition_tree pg_relation_size',
  'pg_safe_snapshot_blocking_pids pg_sequence_last_value pg_stat_get_backend_io',
  'pg_stat_get_backend_wal pg_stat_get_io pg_stat_get_recovery_prefetch',
  'pg_stat_get_xact_blocks_fetched pg_stat_get_xact_blocks_hit',
  'pg_stat_get_xact_function_calls pg_stat_get_xact_function_self_time',
  'pg_stat_get_xact_function_total_time pg_stat_get_xact_numscans',
  'pg_stat_get_xact_tuples_deleted pg_stat_get_xact_tuples_fetched',
  'pg_stat_get_xact_tuples_hot_updated pg_stat_get_xact_tuples_inserted',
  'pg_stat_get_xact_tuples_newpage_updated pg_stat_get_xact_tuples_returned',
  'pg_stat_get_xact_tuples_updated pg_table_size pg_tablespace_size pg_total_relation_size',
  'pg_xact_commit_timestamp pg_xact_commit_timestamp_origin pg_xact_status pgrowlocks',
  'plpgsql_validator random random_normal timeofday tuple_data_split txid_status uuidv4',
  'uuidv7',
)

/** A condition for functions that a statement can call by name, considering the types of their values. */
const CALLABLE = `prokind = 'f' and prorettype::regtype::text not in ('trigger', 'event_trigger', 'internal',
    'language_handler', 'fdw_handler', 'index_am_handler', 'table_am_handler', 'tsm_handler')
  and not 'internal'::regtype = any (proargtypes)`

/** Functions that are called without their name: by operators, casts, aggregates, types and indexes. */
const UNNAMED = `
  select oprcode::oid from pg_operator union select castfunc from pg_cast
  union select unnest(array[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn,
    aggmtransfn, aggminvtransfn, aggmfinalfn]) from pg_aggregate
  union select unnest(array[typinput, typoutput, typreceive, typsend, typmodin, typmodout, typsubscript])
    from pg_type
  union select amproc from pg_amproc`

/** Functions that read and write the values of a type, refused only because of their prefix. */
const OF_TYPES = /^pg_\w+_(?:in|out|recv|send)$/

await describePostgres('the guard and the functions of PostgreSQL', setup, (postgres) => {
  let functions: { name: string; least: number; most: number }[]
  beforeAll(async () => {
    const { rows } = await postgres.admin(`select proname as name,
      min(pronargs - pronargdefaults)::int as least, max(pronargs)::int as most
      from pg_proc where provolatile = 'v' and ${CALLABLE} group by 1 order by 1`)
    functions = rows
  })

  const refused = (sql: string) => refuse(sql, rules) !== undefined
  const call = ({ name, least }: { name: string; least: number }) =>
    `${name}(${Array(least).fill('a').join(', ')})`

  test('refuses functions that do more than compute', () => {
    const through = functions.filter((it) => !refused(`select ${call(it)}`))
    expect(through.map(({ name }) => name).filter((name) => !HARMLESS.includes(name))).toEqual([])
    expect(functions.length).toBeGreaterThan(100)
  })

  describe('with refused functions', () => {
    test('refuses every form of a call', () => {
      const through: string[] = []
      for (const { name, least, most } of functions.filter((it) => refused(`select ${call(it)}`))) {
        const values = Array(least).fill('a').join(', ')
        const escaped = `U&"\\${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}"`
        const texts = [
          ...[
            name,
            `"${name}"`,
            escaped,
            `pg_catalog.${name}`,
            `public . "${name}"`,
            `x.as.${name}`,
          ]
            .flatMap((it) => [`${it}(${values})`, `${it} /* ( */ (${values})`])
            .flatMap((it) => [
              `select ${it}`,
              `select 1 from ${it}`,
              `select 1 from t as as_, lateral ${it} as y`,
              `select 1 from rows from (f(1), ${it})`,
              `select 1 as as from t join u on t.as and ${it} is null`,
            ]),
          ...[name, `"${name}"`, `pg_catalog.${name}`].map((it) => `select treat(a as ${it})`),
        ]
        // A function with one argument can be called with a dot.
        if (least <= 1 && most >= 1) {
          for (const value of ['(a)', 'a[1]', '(select a)', 'btrim', '$1', 'a.b[1].c']) {
            texts.push(`select ${value}.${name} from t`, `select ${value} . "${name}" from t`)
          }
        }
        through.push(...texts.filter((it) => !refused(it)))
      }
      expect(through.slice(0, 10)).toEqual([])
    })

    test('refuses none that an operator, cast, aggregate, type or index calls', async () => {
      const { rows } = await postgres.admin(`select distinct proname as name
        from pg_proc where oid in (${UNNAMED}) and ${CALLABLE} order by 1`)
      expect(rows.length).toBeGreaterThan(500)
      const found = rows.map(({ name }) => name).filter((it) => !OF_TYPES.test(it))
      const calls = found.filter((name) => refused(`select ${call({ name, least: 1 })}`))
      expect(calls).toEqual([])
    })
  })
})
