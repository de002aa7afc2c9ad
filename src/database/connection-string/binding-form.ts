import { hasNoSecret } from '../open.ts'
import { NotRecognised } from './fault.ts'
import type { Recognised } from './recognised.ts'
import { suggested } from './suggested.ts'

const ENGINES: Readonly<Record<string, string>> = {
  demo: 'SQLite',
  d1: 'SQLite',
  hyperdrive: 'PostgreSQL',
}

/** Reads `d1:BINDING`, `hyperdrive:BINDING` and `demo:`, which hold no secret. Throws {@link NotRecognised}. */
export function readBinding(text: string): Omit<Recognised, 'changes' | 'hints'> | undefined {
  const [scheme = '', name = ''] = text.split(/:(?:\/\/)?/, 2)
  const engine = Object.hasOwn(ENGINES, scheme.toLowerCase()) && ENGINES[scheme.toLowerCase()]
  if (!engine || /[@]/.test(text)) return undefined
  const url = `${scheme.toLowerCase()}:${name}`
  if (!hasNoSecret(url)) {
    throw new NotRecognised(
      `The name of the binding is missing, or is not one. Write ${scheme.toLowerCase()}:BINDING, with the name that wrangler.toml gives it.`,
      'host',
      engine,
    )
  }
  return {
    url,
    engine,
    service: scheme === 'demo' ? undefined : scheme === 'd1' ? 'Cloudflare D1' : 'Hyperdrive',
    encryption: 'within',
    suggested: suggested({ database: name, engine }),
  }
}
