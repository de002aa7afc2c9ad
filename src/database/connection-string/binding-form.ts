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
