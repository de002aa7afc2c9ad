import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { check } from 'recheck'
import { parseAst } from 'rolldown/parseAst'
import { describe, expect, test, vi } from 'vitest'

const root = join(import.meta.dirname, '..')
// These commands read only the files and options of the user who starts them.
const files = globSync('src/**/*.ts', { cwd: root })
  .filter((path) => !/^src[\\/]command[\\/](?:hosts|manage|new)[\\/]/.test(path))
  .sort()

/** The time limit for one expression. One that is undecided then needs an entry in ARGUED. */
const PATIENCE_MS = 60_000

/**
 * Expressions that recheck cannot decide in time, each with the reason why it is linear. An expression
 * that recheck finds vulnerable still fails.
 */
const ARGUED: Readonly<Record<string, string>> = {}

interface Found {
  readonly file: string
  readonly source: string
  readonly flags: string
}

/** The fields of a syntax tree node that this test reads. */
interface Node {
  readonly type?: string
  readonly [field: string]: unknown
}

const FUNCTIONS = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/

/** The literals of a file, and its calls of RegExp: those made when it is loaded, and the others. */
function readTree(file: string) {
  const tree = parseAst(readFileSync(join(root, file), 'utf8'), { lang: 'ts' }, file)
  const literals: Found[] = []
  let [made, hidden] = [0, 0]
  const visit = (it: unknown, inside: boolean): void => {
    if (Array.isArray(it)) for (const part of it) visit(part, inside)
    if (typeof it !== 'object' || it === null || Array.isArray(it)) return
    const node = it as Node
    const { regex } = node as { regex?: { pattern: string; flags: string } }
    if (regex) literals.push({ file, source: regex.pattern, flags: regex.flags })
    const callee = node.callee as Node | undefined
    if (callee?.type === 'Identifier' && callee.name === 'RegExp') inside ? hidden++ : made++
    const deeper = inside || FUNCTIONS.test(node.type ?? '')
    for (const field of Object.values(node)) visit(field, deeper)
  }
  visit(tree, false)
  return { file, literals, made, hidden }
}

const trees = files.map(readTree)

/** The expressions that a file makes with RegExp, recorded while the file is imported again. */
async function madeBy(file: string): Promise<Found[]> {
  const made: Found[] = []
  class Recorded extends RegExp {
    constructor(source: string | RegExp, flags?: string) {
      super(source, flags)
      made.push({ file, source: this.source, flags: this.flags })
    }
  }
  vi.resetModules()
  vi.stubGlobal('RegExp', Recorded)
  try {
    await import(join(root, file))
  } finally {
    vi.unstubAllGlobals()
  }
  return made
}

describe(
  'the regular expressions of src',
  async () => {
    const literals = trees.flatMap((it) => it.literals)
    const making = trees.filter(({ made }) => made > 0)
    const made: Found[] = []
    for (const { file } of making) made.push(...(await madeBy(file)))
    const all = new Map([...literals, ...made].map((it) => [`/${it.source}/${it.flags}`, it]))

    test('are found by this test, and none is made from a string during a request', () => {
      expect(literals.length).toBeGreaterThan(100)
      expect(made.length).toBeGreaterThanOrEqual(making.reduce((sum, it) => sum + it.made, 0))
      expect(trees.filter(({ hidden }) => hidden > 0).map(({ file }) => file)).toEqual([])
    })

    test.each([...all])('takes linear time: %s', async (name, { file, source, flags }) => {
      const judged = await check(source, flags, { timeout: PATIENCE_MS })
      const { status } = judged
      const undecided = status === 'unknown' && Object.hasOwn(ARGUED, name)
      const linear = status === 'safe' && /^(?:safe|linear)$/.test(judged.complexity.type)
      const found = {
        file,
        status,
        ...(status === 'vulnerable' && { attack: judged.attack.pattern }),
      }
      expect(undecided || linear, JSON.stringify(found)).toBe(true)
    })
  },
  2 * PATIENCE_MS,
)
