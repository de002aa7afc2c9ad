import type { Argument, Attack } from '../support/attacks.ts'
import { Witness } from '../support/witness.ts'
import { type Corpus, isEndless, isFor } from './corpus.ts'
import type { Engine, Place, ToolResult, Unlayered } from './place.ts'
import { ofAttack, ofBenign, ofName, type Verdict } from './verdict.ts'

/** The outcome of the attacks at one place. */
export interface Outcome {
  readonly engine: string
  readonly way: string
  readonly role: string
  readonly attacks: number
  /** Attacks that changed something despite both layers, each with the change. */
  readonly effects: readonly Finding[]
  readonly engineAlone: Alone
  readonly guardAlone: Alone
  /** Wrong answers, each with the reason. */
  readonly unclear: readonly Finding[]
  /** Harmless reads that did not get their rows. */
  readonly refused: readonly Finding[]
}

/** The outcome without one of the layers. */
export interface Alone {
  /** Attacks that changed something, each with the change. */
  readonly effects: readonly Finding[]
  /** Attacks that should be refused, but ran. */
  readonly ran: readonly string[]
}

export interface Finding {
  readonly name: string
  readonly reason: string
}

/** Enough time on a busy machine. A statement that is stopped too early would not show its effect. */
const limits = { maxRows: 10, maxBytes: 100_000, timeoutMs: 1_500 }

/** Does all three runs at every place of an engine, one after the other because they share a server. */
export async function attackEngine(
  name: string,
  { title, places }: Engine,
  corpus: Corpus,
): Promise<readonly Outcome[]> {
  const meant = {
    attacks: corpus.attacks.filter(isFor(name)),
    names: corpus.names.filter(isFor(name)),
    benign: corpus.benign.filter(isFor(name)),
  }
  const outcomes: Outcome[] = []
  const alike = new Map<Unlayered, Alone>()
  for (const place of places) {
    const attacks = meant.attacks.filter((it) => !(place.endless && isEndless(it)))
    const guarded = await throughTools(place, { ...meant, attacks })
    const engineAlone = await without(place, place.engineAlone, attacks)
    const guardAlone =
      alike.get(place.guardAlone) ?? (await without(place, place.guardAlone, meant.attacks))
    alike.set(place.guardAlone, guardAlone)
    const { way, role } = place
    const count = attacks.length + meant.names.length
    outcomes.push({ engine: title, way, role, attacks: count, ...guarded, engineAlone, guardAlone })
  }
  return outcomes
}

/** The first run: the whole corpus through the public tools, with all layers. */
async function throughTools(place: Place, meant: Pick<Corpus, 'attacks' | 'names' | 'benign'>) {
  const { secrets } = place
  const atOnce = !place.revive
  const before = await settingsOf(place)
  const listed = await place.tools('list_tables', {}, true)
  const tables = listed.structuredContent?.tables?.map((it: { name: string }) => it.name) ?? []
  const witness = await Witness.of(place.scene)

  const refused = new Map<string, Verdict>()
  const unclear = new Map<string, Verdict>()
  const reads = await changing(meant.benign, witness, atOnce, async ({ name, sql, bounded }) => {
    const result = await ask(place, 'query', { sql }, true)
    refused.set(name, ofBenign(result, bounded === place.way))
  })
  const names = meant.names.map((it) => ({ ...it, name: `${it.arg} ${JSON.stringify(it.value)}` }))
  const asked = await changing(names, witness, atOnce, async (it) => {
    unclear.set(it.name, undefined)
    for (const [tool, args] of callsOf(it)) {
      const verdict = ofName(await ask(place, tool, args), it, tables, secrets)
      if (verdict !== undefined) unclear.set(it.name, `${tool}: ${verdict}`)
    }
  })
  const attacked = await changing(meant.attacks, witness, atOnce, async (it) => {
    const result = await ask(place, 'query', { sql: it.sql })
    unclear.set(it.name, ofAttack(result, it.expect, isEndless(it), secrets))
  })

  // Every call has its own session, so only the settings of the next session can differ.
  const settings = (await settingsOf(place)) === before ? [] : [CHANGED_SETTINGS]
  const effects = [...reads, ...asked, ...attacked, ...settings]
  return { effects, unclear: findings(unclear), refused: findings(refused) }
}

const CHANGED_SETTINGS = { name: 'settings', reason: 'those of the next session are others' }

/** The other runs: only the attacks, on a database without one of the layers. */
async function without(
  { scene, revive, guardAlone }: Place,
  database: Unlayered,
  attacks: readonly Attack[],
): Promise<Alone> {
  // Without the driver, all of them use one session.
  const atOnce = !revive && database !== guardAlone
  const witness = await Witness.of(database.scene ?? scene)
  const ran = new Map<string, boolean>()
  const effects = await changing(attacks, witness, atOnce, async ({ name, sql, expect }) => {
    const thrown = await inTime(database.query({ sql }, limits)).then(
      () => undefined,
      (error: unknown) => error as Error,
    )
    if (revive && thrown && HANGS.test(thrown.message)) await revive()
    ran.set(name, !thrown && expect === 'rejected')
  })
  return { effects, ran: attacks.map(({ name }) => name).filter((name) => ran.get(name)) }
}

/** The number of statements to try before each check for changes. */
const TOGETHER = 8

/**
 * Runs an action for each entry, and returns the entries that changed something. Entries run in groups, apart
 * from their neighbors in the corpus, which may undo each other. If a group changes something, its entries run
 * again one by one.
 * @param atOnce true if entries have separate sessions and cannot block each other
 */
async function changing<T extends { readonly name: string }>(
  all: readonly T[],
  witness: Witness,
  atOnce: boolean,
  act: (it: T) => Promise<void>,
): Promise<readonly Finding[]> {
  const found = new Map<string, string>()
  const groups = Math.ceil(all.length / TOGETHER)
  for (let group = 0; group < groups; group++) {
    const together = all.filter((_, i) => i % groups === group)
    if (atOnce) await Promise.all(together.map(act))
    else for (const it of together) await act(it)
    if (!(await witness.changed())) continue
    const before = found.size
    const reason = `with others: ${witness.difference}`
    for (const it of together) {
      await act(it)
      if (await witness.changed()) found.set(it.name, witness.difference)
    }
    if (found.size === before) for (const { name } of together) found.set(name, reason)
  }
  return findings(found)
}

const findings = (verdicts: ReadonlyMap<string, Verdict>): readonly Finding[] =>
  [...verdicts].flatMap(([name, reason]) => (reason === undefined ? [] : [{ name, reason }]))

async function settingsOf({ tools, settings: sql }: Place): Promise<string> {
  if (sql === undefined) return ''
  const { structuredContent, content } = await tools('query', { sql }, true)
  if (!structuredContent) throw new Error(`The settings cannot be read: ${content?.[0]?.text}`)
  return JSON.stringify(structuredContent.rows)
}

/** Calls a tool. If a call does not return, this stops it and whatever blocks it. */
async function ask(
  place: Place,
  tool: string,
  args: object,
  patient?: boolean,
): Promise<ToolResult> {
  const result = await inTime(place.tools(tool, args, patient), patient ? 25_000 : 5_000).catch(
    (error: Error): ToolResult => ({ isError: true, content: [{ text: error.message }] }),
  )
  const text = result.content?.[0]?.text ?? ''
  if (place.revive && result.isError && HANGS.test(text)) await place.revive()
  return result
}

const HANGS = /^The query was stopped|^undefined: no answer|aborted|timeout/

function inTime<T>(work: Promise<T>, milliseconds = 5_000): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`undefined: no answer within ${milliseconds} ms.`)),
    milliseconds,
  )
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

/** The tool calls for a name or a pattern. */
const callsOf = ({ arg, value }: Argument): readonly (readonly [string, object])[] =>
  arg === 'pattern'
    ? [['list_tables', { search: value }]]
    : [
        ['describe_table', { table: value }],
        ['query_table', { table: value, limit: 1 }],
      ]
