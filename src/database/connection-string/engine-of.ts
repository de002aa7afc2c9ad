import { firstPort, plainName } from './draft.ts'
import type { Notes, StringDraft, StringForms } from './pasted.ts'
import { SERVICES, type Service, serviceOf } from './services.ts'

type Engines = Pick<Notes, 'engines'>

/** Looks up the scheme for our drivers that a name stands for. The name can end with a plus and a driver. */
export function schemeOf(name: string, { engines }: Engines): string | undefined {
  const names = [plainName(name), plainName(name.split('+', 1)[0]!)]
  for (const { schemes } of engines) {
    for (const [scheme, others] of Object.entries(schemes)) {
      if (names.some((it) => it === scheme || others.includes(it))) return scheme
    }
  }
  return undefined
}

/** Finds the scheme that a word in a string stands for: `org.postgresql.Driver`. */
export const schemeIn = (text: string, notes: Engines): string | undefined =>
  text
    .split(/[^A-Za-z\d]+/, 10)
    .map((it) => schemeOf(it, notes))
    .find((it) => it !== undefined)

/** An engine's usual scheme. */
export const usual = ({ schemes }: StringForms): string => Object.keys(schemes)[0]!

/** Guesses the engine from a port or a host. */
export function guessed(draft: StringDraft, { engines }: Engines): StringForms | undefined {
  const { host = '' } = draft
  const port = firstPort(draft) ?? ''
  return (
    engines.find(({ ports }) => ports?.includes(port)) ??
    engines.find(({ services = [] }) => serviceOf(host, services)) ??
    engines.find((it) => host.includes(usual(it)))
  )
}

/** The services for all engines. Services that run only one engine come first. */
export const servicesOf = (engines: readonly StringForms[]): readonly Service[] => [
  ...engines.flatMap(({ services = [] }) => services),
  ...SERVICES,
]

/** The first words of the connection strings that can be read. */
export const beginnings = ({ engines }: Engines): string =>
  engines.map((it) => `${usual(it)}://`).join(', ')
