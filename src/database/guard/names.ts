/**
 * True if an engine could read a name as one of these. MariaDB reads `sýs_eval` as `sys_eval`, and
 * `benchmarK` with a Kelvin sign as `benchmark`; PostgreSQL in Turkish reads İ as i.
 */
export function matches(names: RegExp | undefined, name: string): boolean {
  if (!names) return false
  if (names.test(name)) return true
  if (!NOT_ASCII.test(name)) return false
  const plain = name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .replaceAll('ß', 's')
  return names.test(plain.toUpperCase().toLowerCase())
}

const NOT_ASCII = /[^\n -~]/
