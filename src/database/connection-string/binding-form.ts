import { hasNoSecret } from '../open.ts'
import { NotRecognised } from './fault.ts'
import type { Recognised } from './recognised.ts'
import { suggested } from './suggested.ts'

const ENGINES: Readonly<Record<string, string>> = {
  demo: 'SQLite',
  d1: 'SQLite',
  hyperdrive: 'PostgreSQL or MySQL',
  secret: 'as the secret says',
}

const SERVICES: Readonly<Record<string, string>> = {
  d1: 'Cloudflare D1',
  hyperdrive: 'Hyperdrive',
}

/** Reads `d1:BINDING`, `hyperdrive:BINDING`, `secret:NAME` and `demo:`, which hold no secret. Throws {@link NotRecognised}. */
export function readBinding(text: string): Omit<Recognised, 'changes' | 'hints'> | undefined {
  const [scheme = '', name = ''] = text.split(/:(?:\/\/)?/, 2)
  const engine = Object.hasOwn(ENGINES, scheme.toLowerCase()) && ENGINES[scheme.toLowerCase()]
  if (!engine || /[@]/.test(text)) return undefined
  const url = `${scheme.toLowerCase()}:${name}`
  if (scheme.toLowerCase() === 'secret' ? !/^secret:[A-Za-z_]\w*$/.test(url) : !hasNoSecret(url)) {
    throw new NotRecognised(
      `The name behind ${scheme.toLowerCase()}: is missing, or is not one. Write the name of the binding in wrangler.toml, or of the secret.`,
      'host',
      engine,
    )
  }
  return {
    url,
    engine,
    service: SERVICES[scheme.toLowerCase()],
    encryption: 'within',
    suggested: suggested({ database: name, engine }),
  }
}

/** A binding as wrangler writes it. */
export interface Bound {
  readonly url: string
  /** What it is called there. */
  readonly block: string
}

const SCHEMES: Readonly<Record<string, string>> = { hyperdrive: 'hyperdrive', d1_databases: 'd1' }

/** Finds `[[hyperdrive]]` or `[[d1_databases]]` with its binding in a text, as wrangler prints it, in TOML or JSON. */
export function boundIn(text: string): Bound | undefined {
  const [, table, json] =
    /^[ \t]*\[\[(hyperdrive|d1_databases)\]\]|"(hyperdrive|d1_databases)"\s{0,20}:\s{0,20}\[/m.exec(
      text,
    ) ?? []
  const name = table ?? json
  if (name === undefined) return undefined
  const mark = table === undefined ? `"${name}"` : `[[${name}]]`
  const behind = text.slice(text.indexOf(mark) + mark.length)
  const [block = ''] = behind.split(table === undefined ? ']' : /^[ \t]*\[/m, 1)
  const [, binding] =
    /(?:^|[\s{,])"?binding"?\s{0,20}[=:]\s{0,20}["'](\w{1,60})["']/.exec(block) ?? []
  return binding === undefined ? undefined : { url: `${SCHEMES[name]}:${binding}`, block: mark }
}
