import { BoundedMap } from '../../ground/index.ts'
import type { Statement } from '../rows.ts'
import type { PostgresField, PostgresResult } from './answer.ts'

/** PostgreSQL's built-in types: name, OID, and OID of the array type. */
const BUILT_IN = [
  'bool 16 1000, bytea 17 1001, char 18 1002, name 19 1003, int8 20 1016, int2 21 1005',
  'int4 23 1007, text 25 1009, oid 26 1028, json 114 199, xml 142 143, point 600 1017',
  'lseg 601 1018, path 602 1019, box 603 1020, polygon 604 1027, cidr 650 651, float4 700 1021',
  'float8 701 1022, circle 718 719, money 790 791, macaddr 829 1040, inet 869 1041',
  'bpchar 1042 1014, varchar 1043 1015, date 1082 1182, time 1083 1183, timestamp 1114 1115',
  'timestamptz 1184 1185, interval 1186 1187, timetz 1266 1270, bit 1560 1561, varbit 1562 1563',
  'numeric 1700 1231, regclass 2205 2210, regtype 2206 2211, record 2249 2287, uuid 2950 2951',
  'tsvector 3614 3643, tsquery 3615 3645, jsonb 3802 3807, int4range 3904 3905',
  'numrange 3906 3907, tsrange 3908 3909, tstzrange 3910 3911, daterange 3912 3913',
  'int8range 3926 3927',
]

/** Type names by OID. An array of `int4` is an `int4[]`. */
const typeNames: ReadonlyMap<number, string> = new Map(
  BUILT_IN.join(', ')
    .split(', ')
    .flatMap((it): [number, string][] => {
      const [name = '', oid, array] = it.split(' ')
      return [
        [Number(oid), name],
        [Number(array), `${name}[]`],
      ]
    }),
)

/** The name of a built-in type. Undefined for any other type. */
export const builtinType = (oid: number): string | undefined => typeNames.get(oid)

/** The types that have different names in format_type() and in pg_type. */
const spoken: ReadonlyMap<string, string> = new Map([
  ['bool', 'boolean'],
  ['int2', 'smallint'],
  ['int4', 'integer'],
  ['int8', 'bigint'],
  ['float4', 'real'],
  ['float8', 'double precision'],
  ['bpchar', 'character'],
  ['varchar', 'character varying'],
  ['char', '"char"'],
  ['varbit', 'bit varying'],
  ['time', 'time without time zone'],
  ['timetz', 'time with time zone'],
  ['timestamp', 'timestamp without time zone'],
  ['timestamptz', 'timestamp with time zone'],
])

/** A type's name in the catalog: `integer[]` for `int4[]`. */
export function catalogTypeName(type: string): string {
  const element = type.replace('[]', '')
  return type.replace(element, spoken.get(element) ?? element)
}

/** Types that only some databases have, by database and OID. Migrations add, remove and change them. */
const known = new BoundedMap<string>({ entries: 10_000, ttlMs: 600_000 })

/**
 * The names of the columns' types. Types that are not built in are looked up in the database and cached. The
 * lookup returns a row with the OID and the name of each.
 */
export async function typesOf(
  fields: readonly PostgresField[],
  database: string,
  ask: (lookUp: Statement, rows: number) => Promise<PostgresResult>,
): Promise<string[]> {
  const keyOf = (oid: number) => `${oid} ${database}`
  const names = new Map(
    fields.map(({ dataTypeID: oid }) => [oid, typeNames.get(oid) ?? known.get(keyOf(oid))]),
  )
  const oids = [...names.keys()].filter((oid) => names.get(oid) === undefined)
  if (oids.length > 0) {
    const lookUp = {
      // Runs with the role's search path, which decides whether a name includes its schema.
      sql: `select t.oid, pg_catalog.format_type(t.oid, null) from pg_catalog.pg_type t
        where t.oid operator(pg_catalog.=) any ($1::pg_catalog.oid[])`,
      params: [`{${oids.join()}}`],
    }
    const { rows } = await ask(lookUp, oids.length)
    for (const [oid, name] of rows) {
      names.set(Number(oid), String(name))
      known.set(keyOf(Number(oid)), String(name))
    }
  }
  return fields.map((it) => names.get(it.dataTypeID) ?? 'unknown')
}
