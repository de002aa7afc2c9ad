import { attacks, benign, exhausting } from '../support/attacks.ts'
import { ENDS, FRAGMENTS, GAPS, HIDES, INSIDES, PAYLOADS, type Payloads } from './fragments.ts'
import { type Random, randomFrom } from './random.ts'
import { calling, VALUES } from './values.ts'

export type EngineName = keyof typeof PAYLOADS

/**
 * Endless texts for an engine, always the same for the same seed. Most are nearly valid, because a text
 * that the guard refuses or that the engine cannot parse proves nothing.
 *
 * - queries from a small grammar, with unusual literals and white space, and up to two mutations;
 * - a query and something that must not run, with {@link FRAGMENTS} before and after the latter: if
 *   guard and engine disagree about open quotes or comments, only one of them sees it;
 * - mutated statements of the corpus in `test/attack/corpus`;
 * - calls of a refused function in every place, with every way to name a value: {@link VALUES};
 * - only fragments.
 */
export function* textsFor(engine: EngineName, seed: number): Generator<string, never> {
  const random = randomFrom(seed)
  const payloads = PAYLOADS[engine]
  const corpus = [...attacks(engine), ...benign(engine)]
    .filter(({ name, sql }) => !exhausting.has(name) && sql.length < 2_000 && !/\d{7}/.test(sql))
    .map(({ sql }) => sql)
  corpus.push(...payloads.queries, ...payloads.statements)
  for (;;) {
    const kind = random.below(24)
    if (kind < 6) yield mutated(query(random), corpus, random, random.below(3))
    else if (kind < 15) yield smuggled(payloads, random)
    else if (kind < 19) yield mutated(random.pick(corpus), corpus, random, random.below(4))
    else if (kind < 20) yield `${random.pick(payloads.queries)}${fragments(random, 8)}`
    else
      yield mutated(calling(VALUES[engine], random), corpus, random, random.below(5) === 0 ? 1 : 0)
  }
}

/** A statement followed by something that must not run, with ambiguous fragments on both sides. */
function smuggled({ queries, tails, statements }: Payloads, random: Random): string {
  if (random.chance(0.05)) return `${fragments(random, 1)}${random.pick(statements)}`
  const [before, tail] = [random.pick(queries), random.pick(tails)]
  if (random.chance(0.2)) {
    const [opening, closing] = random.pick(HIDES)
    return `${before} ${opening}${tail}${random.chance(0.3) ? fragments(random, 1) : ''}${closing}`
  }
  const end = random.chance(0.5) ? random.pick(ENDS) : ''
  return `${before}${fragments(random, 3)}${tail}${fragments(random, 2)}${end}`
}

/** Up to `most` fragments, some of them separated by a space. */
function fragments(random: Random, most: number): string {
  let text = ''
  for (let left = random.below(most + 1); left > 0; left--) {
    text += random.pick(FRAGMENTS)
    if (random.chance(0.2)) text += ' '
  }
  return text
}

const COLUMNS = [
  'id',
  'email',
  'total',
  'u.id',
  '*',
  'user_id',
  '1',
  'null',
  'count(*)',
  '-1',
  '1.5e1',
]
const COMPARISONS = ['=', '<', '<>', 'like', 'is', '>=', '+', '||', '-', '*']
const TABLES = [
  'users',
  'orders',
  'users u',
  'users as u',
  '(select 1 as id) q',
  '"users"',
  '`users`',
  '[users]',
]

/** A valid or nearly valid query: not every literal and every name is valid in every engine. */
function query(random: Random): string {
  const words: string[] = []
  const say = (text: string) => words.push(...text.split(' '))
  const value = () => (random.chance(0.6) ? literal(random) : random.pick(COLUMNS))
  if (random.chance(0.1)) say('explain')
  if (random.chance(0.15)) {
    say('with q as (')
    words.push('select', value(), ')')
  }
  say('select')
  words.push(value())
  while (random.chance(0.3)) words.push(',', value())
  if (random.chance(0.3)) words.push('as', random.chance(0.5) ? 'a' : name(random))
  if (random.chance(0.7)) {
    words.push('from', random.pick(TABLES))
    if (random.chance(0.5)) words.push('where', value(), random.pick(COMPARISONS), value())
    if (random.chance(0.2)) say('order by 1')
    if (random.chance(0.2)) say('limit 3')
  }
  if (random.chance(0.1)) words.push('union all', 'select', value())
  if (random.chance(0.2)) words.push(';')
  return words.reduce((text, word) => text + gap(random) + word)
}

const gap = (random: Random) => (random.chance(0.85) ? ' ' : random.pick(GAPS))

function inside(random: Random, quote: string): string {
  let text = ''
  for (let left = random.below(4); left > 0; left--) {
    const piece = random.pick(INSIDES)
    text += piece === quote ? quote + quote : piece
  }
  return text
}

const PREFIXES = ['e', 'E', 'n', 'N', 'x', 'b', 'U&', '_utf8', '@', 'name ', 'q']

function literal(random: Random): string {
  const kind = random.below(10)
  if (kind < 5) return `'${inside(random, "'")}'`
  if (kind < 6) return `${random.pick(PREFIXES)}'${inside(random, "'")}'`
  if (kind < 8) return `"${inside(random, '"')}"`
  if (kind < 9)
    return random.pick(['$$', '$a$']).replace(/.*/s, (tag) => tag + inside(random, '$$') + tag)
  return random.pick(['1', '.5', '0x1f', '1e3', '?1', '$1', ':a', '@a', '1_000', '1.', 'true'])
}

function name(random: Random): string {
  const quote = random.pick(['"', '`', '[', "'"])
  return quote + inside(random, quote === '[' ? ']' : quote) + (quote === '[' ? ']' : quote)
}

const QUOTES = ["'", '"', '`', '$$', '[', ']', '\\']

/** A text with this many small changes. */
function mutated(text: string, corpus: readonly string[], random: Random, times: number): string {
  let mutant = text
  for (let left = times; left > 0; left--) mutant = mutate(mutant, corpus, random)
  return mutant
}

function mutate(text: string, corpus: readonly string[], random: Random): string {
  const at = random.below(text.length + 1)
  const [before, behind] = [text.slice(0, at), text.slice(at)]
  const length = 1 + random.below(3)
  switch (random.below(9)) {
    case 0:
      return before + behind.slice(length)
    case 1:
      return before + behind.slice(0, length * 4) + behind
    case 2:
      return before + random.pick(corpus).slice(random.below(20))
    case 3:
      return text.replace(random.pick(QUOTES), () => random.pick(QUOTES))
    case 4:
      return text.replaceAll(random.pick(['"', "'"]), random.pick(['"', "'", '`']))
    case 5:
      // Changes a gap between words, which keeps most of the following text intact.
      return text.replace(/ (?=[^ ]*$)|(?<=^[^ ]*) /, () => random.pick(GAPS))
    case 6:
      return text + random.pick(FRAGMENTS) + random.pick(FRAGMENTS)
    case 7:
      return text.replace(random.pick(["'", '"']), (quote) => `\\${quote}`)
    default:
      return before + random.pick(FRAGMENTS) + behind
  }
}
