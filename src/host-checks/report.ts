import { ALL, type HostId, hosts } from './hosts.ts'

/** The result of one check, and its fix. */
export interface HostFinding {
  readonly id: string
  /** The hosts it affects. Empty for a problem that affects people rather than hosts. */
  readonly hosts: readonly HostId[]
  readonly state: 'ok' | 'note' | 'problem'
  readonly seen: string
  readonly fix?: string
}

/** The outcome for a host: whether it would connect, and why not. */
export interface Verdict {
  readonly name: string
  readonly verdict: string
  /** `note`: it connects with problems, or only a note keeps it out. `problem`: a problem keeps it out. */
  readonly state: HostFinding['state']
}

/** A note or a problem: what was seen, and what to do. */
interface Remark {
  /** The hosts it affects. By default, all. */
  readonly hosts?: readonly HostId[]
  /** The hosts that cannot connect because of it. */
  readonly stops?: readonly HostId[]
  readonly seen: string
  readonly fix?: string
}

/** The two outcomes of a check. */
interface HostCheck extends Remark {
  readonly ok: string
  /** `problem` by default. */
  readonly state?: 'note' | 'problem'
}

const MAX_QUOTED = 160

/** The findings of an examination, in order, and their effect on each host. */
export class Report {
  readonly findings: HostFinding[] = []

  /** The way that hosts connect: without authentication (`open`), with a `sign-in`, or with a `key`. */
  way: 'open' | 'sign-in' | 'key' | undefined

  readonly #mask: (text: string) => string
  readonly #obstacles: (Pick<HostFinding, 'state' | 'seen'> & {
    readonly stops: readonly HostId[]
  })[] = []

  /** @param mask removes secrets from printed text */
  constructor(mask: (text: string) => string) {
    this.#mask = mask
  }

  ok(id: string, seen: string): void {
    this.#add(id, 'ok', { seen, stops: [] })
  }

  /** Adds a note, which keeps out only the hosts in `stops`. */
  note(id: string, remark: Remark): void {
    this.#add(id, 'note', { stops: [], ...remark })
  }

  /** Adds a problem, which keeps out the hosts in `stops`, or else those in `hosts`. */
  problem(id: string, remark: Remark): void {
    this.#add(id, 'problem', remark)
  }

  /** Adds the result of a check: `ok` if it passed, or else the remark. */
  check(id: string, isRight: boolean, { ok, state = 'problem', ...remark }: HostCheck): void {
    if (isRight) this.ok(id, ok)
    else this[state](id, remark)
  }

  /** Prepares a server's value for display. Masks its secrets before shortening: half a secret is a secret too. */
  quoted(value: unknown): string {
    const text = this.#mask(JSON.stringify(value) ?? 'nothing')
    return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text
  }

  get hasProblem(): boolean {
    return this.findings.some(({ state }) => state === 'problem')
  }

  /** For each host, the verdict and its reason. */
  verdicts(): Verdict[] {
    return hosts.map(({ id, name }) => ({ name, ...this.#verdict(id) }))
  }

  #verdict(host: HostId): Omit<Verdict, 'name'> {
    const obstacles = this.#obstacles.filter(({ stops }) => stops.includes(host))
    const [first] = obstacles
    if (first) return { verdict: `would not connect: ${withMore(obstacles)}`, state: first.state }
    const troubles = this.findings.filter((it) => it.state === 'problem' && it.hosts.includes(host))
    const how = `would connect${this.way ? WAYS[this.way] : ''}`
    return troubles.length > 0
      ? { verdict: `${how}, but: ${withMore(troubles)}`, state: 'note' }
      : { verdict: how, state: 'ok' }
  }

  #add(id: string, state: HostFinding['state'], remark: Remark): void {
    const { hosts: among = ALL, stops = among, fix } = remark
    const seen = this.#shown(remark.seen)
    const finding = { id, hosts: among, state, seen }
    this.findings.push(fix ? { ...finding, fix: this.#shown(fix) } : finding)
    this.#obstacles.push({ stops, state, seen })
  }

  /** Text without secrets, and without characters that a terminal would interpret. */
  #shown(text: string): string {
    return this.#mask(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·')
  }
}

const WAYS = {
  open: '',
  'sign-in': ', and ask to sign in',
  key: ' with the key in the header Authorization: Bearer KEY',
}

const withMore = ([first, ...more]: readonly { readonly seen: string }[]): string =>
  `${first?.seen}${more.length > 0 ? ` And ${more.length} more.` : ''}`
