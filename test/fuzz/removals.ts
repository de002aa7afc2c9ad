import type { Rules } from '../../src/database/rules.ts'

const NEVER = /(?!)/
const ALWAYS = /(?:)/

/** The first words of statements that do more than read. */
const VERBS = [
  'insert',
  'update',
  'delete',
  'replace',
  'merge',
  'drop',
  'set',
  'do',
  'begin',
  'pragma',
]

/**
 * The rules of a dialect, each time without one of them. With these rules, the guard must accept an
 * escape. Otherwise, the rule is not needed, or the fuzzer is too weak to detect its purpose.
 */
export function* removals(rules: Rules): Iterable<readonly [rule: string, without: Rules]> {
  for (const [rule, value] of Object.entries(rules.lexis)) {
    const other = rule === 'doubleQuotes' ? (value === 'name' ? 'text' : 'name') : false
    yield [rule, { ...rules, lexis: { ...rules.lexis, [rule]: other } }]
  }
  yield ['readVerbs', { ...rules, readVerbs: [...rules.readVerbs, ...VERBS] }]
  yield ['explainOptions', { ...rules, explainOptions: ALWAYS }]
  yield ['refusedFunctions', { ...rules, refusedFunctions: NEVER }]
  yield ['hiddenRelations', { ...rules, hiddenRelations: NEVER }]
  if (rules.attributeFunctions) {
    yield ['attributeFunctions', { ...rules, attributeFunctions: NEVER }]
  }
  for (const clause of rules.refusedClauses) {
    const refusedClauses = rules.refusedClauses.filter((it) => it !== clause)
    yield [`clause ${clause}`, { ...rules, refusedClauses }]
  }
}
