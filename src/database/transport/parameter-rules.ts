import { words } from '../words.ts'

/**
 * Returns the reason that a value for a URL parameter is refused, to follow the parameter's name. Undefined for an
 * allowed value.
 *
 * @param hasFiles true outside Workers, where parameters can refer to files
 */
export type Rule = (value: string, hasFiles: boolean) => string | undefined

/** A parameter that is read elsewhere, is always true here, or has no effect here. */
export const fine: Rule = () => undefined

/** A parameter that is refused with any value. */
export const never =
  (why: string): Rule =>
  () =>
    why

/** A parameter with a few allowed values. */
export const only =
  (values: string, why = `must be one of ${values.replaceAll(' ', ', ')}.`): Rule =>
  (value) =>
    words(values).includes(value) ? undefined : why

/** A parameter with one rule in Workers, and another rule on platforms that have files. */
export const byPlace =
  (inWorker: Rule, here: Rule): Rule =>
  (value, hasFiles) =>
    (hasFiles ? here : inWorker)(value, hasFiles)

/** Pairs each of several parameter names with the same rule. */
export const rules = (rule: Rule, ...names: readonly string[]) =>
  words(...names).map((name): readonly [string, Rule] => [name, rule])

export const OWN_AUTHORITY =
  'specifies your own CAs, and a Worker trusts only public CAs. If the server has a certificate from a public CA, remove the parameter. If not, put Hyperdrive in front of the database.'
export const CLIENT_CERTIFICATE =
  'requires a client certificate, which a Worker cannot present. Put Hyperdrive in front of the database: it can.'
export const ONE_REVOKED =
  'requests a list of revoked certificates, which is not read here. Remove it.'
export const REVOKED = 'requests lists of revoked certificates, which are not read here. Remove it.'
