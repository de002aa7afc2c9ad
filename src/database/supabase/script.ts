import { inlined } from '../guard/inlined.ts'
import { read } from '../guard/reading.ts'
import { readOnlySteps } from '../postgres/read-only.ts'
import { rules } from '../postgres/rules.ts'
import type { Param, QueryContext, Statement } from '../rows.ts'

/** The first row in a result, as JSON. The other rows are records in PostgreSQL's text format. */
export interface Head {
  readonly names?: readonly string[]
  /** The types' OIDs. A domain has its base type's OID. */
  readonly types?: readonly (number | string)[]
  readonly called?: readonly string[]
  /** True if rows are missing because the rows before them had too many bytes. */
  readonly cut?: boolean
  readonly error?: {
    readonly code: string
    readonly message: string
    readonly detail?: string
    readonly hint?: string
  }
  /** True if the transaction was not read-only. Nothing has run in that case. */
  readonly writable?: boolean
}

/** Maximum size of the rows in a result, in octets. Their text can be longer than the JSON that the limit counts. */
const rowOctets = (maxBytes: number) => Math.min(4 * maxBytes + 65_536, 8 * 1024 * 1024)

/**
 * The script that runs one statement. The service would run every statement in it, so the caller's SQL
 * is passed only as a hexadecimal constant. The block decodes it and opens it as a cursor, which accepts
 * exactly one statement that returns rows. A query is then wrapped in our own SELECT, which accepts
 * nothing but a query.
 *
 * Only the FETCH returns rows, because the service returns the rows from the last statement that has any.
 * Each row is one string. JSON would lose columns with the same name, digits and more.
 */
export function scriptOf(statement: Statement, limits: QueryContext): string {
  const [settings, , ...rest] = readOnlySteps(statement, limits)
  // SHOW and EXPLAIN have no further steps: they cannot be part of a query.
  const isQuery = rest.length > 0
  const [itsPath] = rest.slice(0, -1)
  const values = settings!.params!.map((it) => text(String(it)))
  const asked = inlineParams(statement)
  const { verb } = read(statement, rules)
  return `begin read only;
do $tidegate$ begin
  if pg_catalog.current_schemas(false) operator(pg_catalog.=) '{}' then
    perform pg_catalog.set_config('search_path', 'public, extensions', true);
  end if;
  execute ${text(settings!.sql)} using ${values.join(', ')};
end $tidegate$;
do $tidegate$ declare
  tidegate pg_catalog.refcursor := 'tidegate';
  opened pg_catalog.refcursor;
  typed pg_catalog.refcursor;
  asked pg_catalog.text;
  it pg_catalog.record;
  line pg_catalog.text;
  octets pg_catalog.int8 := 0;
  head pg_catalog.json;
  names pg_catalog.text[];
  types pg_catalog.oid[] := '{}';
  lines pg_catalog.text[] := '{}';
  code pg_catalog.text; message pg_catalog.text; detail pg_catalog.text; hint pg_catalog.text;
  cut pg_catalog.bool := false;
begin
  if pg_catalog.current_setting('transaction_read_only') operator(pg_catalog.<>) 'on' then
    open tidegate for select '{"writable":true}' as it;
    return;
  end if;
  begin
    asked := ${text(asked)};
    open opened no scroll for execute asked;
${isQuery ? WITHIN_QUERY : ''}    fetch relative 0 from opened into it;
    names := array(select pg_catalog.json_object_keys(pg_catalog.row_to_json(it)));
    ${isQuery ? TYPES_OF_QUERY : verb === 'explain' ? TYPE_OF_PLAN : TYPES_OF_SHOW}
${itsPath ? `    execute ${text(itsPath.sql)};\n` : ''}    for n in 1..${limits.maxRows + 1} loop
      fetch opened into it;
      exit when not found;
      line := it::pg_catalog.text;
      octets := octets operator(pg_catalog.+) pg_catalog.octet_length(line);
      cut := octets operator(pg_catalog.>) ${rowOctets(limits.maxBytes)};
      exit when cut;
      lines := pg_catalog.array_append(lines, line);
    end loop;
    close opened;
    head := pg_catalog.json_build_object('names', names, 'types', types, 'cut', cut, 'called',
      array(select pg_catalog.format_type(id, null) from pg_catalog.unnest(types) id));
  exception when query_canceled or others then
    get stacked diagnostics code = returned_sqlstate, message = message_text,
      detail = pg_exception_detail, hint = pg_exception_hint;
    lines := '{}';
    head := pg_catalog.json_build_object('error', pg_catalog.json_build_object(
      'code', code, 'message', message, 'detail', detail, 'hint', hint));
  end;
  open tidegate for
    select pg_catalog.unnest(pg_catalog.array_prepend(head::pg_catalog.text, lines)) as it;
end $tidegate$;
fetch all from tidegate;
rollback`
}

/**
 * Writes a statement's values into it, as constants without a type. PostgreSQL infers their types as it does
 * for `$1`, but separately at each place. The guard's lexer finds the placeholders: a `$1` in a string, a name
 * or a comment is not a placeholder. A placeholder without a value stays, and PostgreSQL reports it.
 */
function inlineParams(statement: Statement): string {
  const { sql, params = [] } = statement
  if (params.length === 0) return sql
  const values = read(statement, rules).tokens.flatMap(({ kind, value: name, start, end }) => {
    if (kind !== 'symbol' || !/^\$\d+$/.test(name)) return []
    const value = params[Number(name.slice(1)) - 1]
    return value === undefined ? [] : { start, end, value, literal }
  })
  return inlined(statement, values, rules)
}

/**
 * Writes a value as PostgreSQL reads it with `standard_conforming_strings`. The parentheses keep a string before it
 * from continuing in it.
 */
const literal = (value: Param) =>
  value === null ? '(null)' : `('${String(value).replaceAll("'", "''")}')`

/** SQL that decodes to this string. No lexer can read anything else in its hexadecimal digits. */
function text(value: string): string {
  const bytes = new TextEncoder().encode(value)
  const hex = Array.from(bytes, (it) => it.toString(16).padStart(2, '0')).join('')
  return `pg_catalog.convert_from(pg_catalog.decode('${hex}', 'hex'), 'UTF8')`
}

/** The statement has already been opened on its own, so its parentheses are balanced and it is safe to wrap. */
const WITHIN_QUERY = `    close opened;
    open opened no scroll for execute
      pg_catalog.concat('select * from (', asked, pg_catalog.chr(10), ') tidegate');
`

/** Reads the types by position, because names can repeat. The query is planned, but never run. */
const TYPES_OF_QUERY = `if pg_catalog.cardinality(names) operator(pg_catalog.>) 0 then
      open typed no scroll for execute (select pg_catalog.concat('select array[',
          pg_catalog.string_agg(pg_catalog.format('pg_catalog.pg_typeof(c%s)::pg_catalog.oid', n), ','),
          '] from (select) one left join (', asked, pg_catalog.chr(10), ') tidegate (',
          pg_catalog.string_agg(pg_catalog.format('c%s', n), ','), ') on false')
        from pg_catalog.generate_series(1, pg_catalog.cardinality(names)) n);
      fetch typed into types;
      close typed;
      types := array(with recursive below (place, id, base) as (
          select u.place, t.oid, t.typbasetype
          from pg_catalog.unnest(types) with ordinality u (id, place)
          join pg_catalog.pg_type t on t.oid operator(pg_catalog.=) u.id
          union all
          select below.place, t.oid, t.typbasetype
          from below join pg_catalog.pg_type t on t.oid operator(pg_catalog.=) below.base)
        select below.id from below where below.base operator(pg_catalog.=) 0 order by below.place);
    end if;`

const TYPE_OF_PLAN = `types := array[pg_catalog.pg_typeof(it."QUERY PLAN")::pg_catalog.oid];`

const TYPES_OF_SHOW = `types := pg_catalog.array_fill(25::pg_catalog.oid, array[pg_catalog.cardinality(names)]);`
