// What the checks found, and what it means for each host.
import { plain } from '../table.mjs'
import { ALL, hosts } from './hosts.mjs'

const MAX_QUOTED = 160

/** The findings of an examination, in their order. */
export class Report {
  #mask
  #stops = new Map()

  /** How a host gets in: nothing asked (`open`), by a `sign-in`, or with a `key`. */
  way
  findings = []

  /** @param {(text: string) => string} mask takes secrets out of what is printed */
  constructor(mask) {
    this.#mask = mask
  }

  ok(id, seen, among = ALL) {
    this.#add(id, 'ok', { hosts: among, seen })
  }

  /** Something to know, which keeps none of these `hosts` out but those that it `stops`. */
  note(id, { hosts: among = ALL, stops = [], seen, mend }) {
    this.#add(id, 'note', { hosts: among, seen, mend }, stops)
  }

  /**
   * Something wrong, which keeps these `hosts` out, or only those that it `stops`. It has no hosts if it is about
   * people and not about any app.
   */
  problem(id, { hosts: among = ALL, stops = among, seen, mend }) {
    this.#add(id, 'problem', { hosts: among, seen, mend }, stops)
  }

  /** A value of others, to be shown. Its secrets are taken out before it is cut: a half of one is one, too. */
  quoted(value) {
    const text = this.#mask(JSON.stringify(value) ?? 'nothing')
    return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text
  }

  get hasProblem() {
    return this.findings.some(({ state }) => state === 'problem')
  }

  /** For each host, whether it would connect, and why not. */
  verdicts() {
    return hosts.map(({ id, name }) => ({ name, verdict: this.#verdict(id) }))
  }

  #verdict(host) {
    const stops = this.#stops.get(host) ?? []
    if (stops.length > 0) return `would not: ${withMore(stops)}`
    const troubles = this.findings
      .filter((it) => it.state === 'problem' && it.hosts.includes(host))
      .map(({ seen }) => seen)
    const how = `would connect${ways[this.way] ?? ''}`
    return troubles.length > 0 ? `${how}, but: ${withMore(troubles)}` : how
  }

  #add(id, state, { hosts: among, seen, mend }, stops = []) {
    const shown = (text) => plain(this.#mask(text))
    const finding = { id, hosts: among, state, seen: shown(seen) }
    this.findings.push(mend ? { ...finding, mend: shown(mend) } : finding)
    for (const host of stops) {
      this.#stops.set(host, [...(this.#stops.get(host) ?? []), finding.seen])
    }
  }
}

const ways = {
  'sign-in': ', and ask to sign in',
  key: ' with the key as the header Authorization: Bearer KEY',
}

const withMore = ([first, ...more]) =>
  more.length > 0 ? `${first} And ${more.length} more.` : first
