import type { Draft } from './draft.ts'
import { NotRecognised } from './fault.ts'

const BRACKETS =
  /^(?:<.*>|\{your[^{}]*\}|\{\{.*\}\}|\[\[?(?:your|my|the|pass|user|host|db|database|project|port|ref|insert|enter|change)[^\]]*\]?\])$/i
const MASK = /^[*•●·xX.…]{3,}$/u
const WORDS =
  /^(?:your|my|the|enter|insert|put|change|replace)[-_ ]?(?:own|db|database|user|supabase|neon|secure|strong|secret|new|real|actual|me|this)?[-_ ]?(?:password|passwd|pass|pw|user(?:name)?|host(?:name)?|database|db|name|token|here|me|this)(?:[-_ ]?here)?$/i
const CAPITALS =
  /^(?:PASSWORD|PASSWD|PASS|PWD|USER|USERNAME|HOST|HOSTNAME|PORT|DATABASE|DBNAME|DB|TOKEN|AUTH_?TOKEN|REDACTED|SECRET|PLACEHOLDER|TODO|CHANGE_?ME|REPLACE_?ME|XXX+)$/
const VARIABLE =
  /^(?:\$\{[^}]*\}|\$\([^)]*\)|\$[A-Z_][A-Z\d_]*|%[A-Z_][A-Z\d_]*%|\{[a-z_][\w.]*\}|\$env:\w+|process\.env\.\w+)$/i

type Place = 'user' | 'password' | 'host' | 'port' | 'database'
const PLACES: readonly Place[] = ['host', 'port', 'user', 'password', 'database']

/** Throws {@link NotRecognised} if a part is still what a page of instructions has in its place. */
export function assertFilledIn(draft: Draft, engine: string): void {
  for (const place of PLACES) {
    const text = draft[place]
    if (text === undefined) continue
    if (isVariable(text) && !isPlaceholder(text)) {
      throw new NotRecognised(
        `The ${place} is the name of a variable, whose value is not in this text. Put the value in its place.`,
        place,
        engine,
      )
    }
    if (isPlaceholder(text) || (place !== 'password' && INNER.test(text))) {
      throw new NotRecognised(
        `The ${place} is still a placeholder. Put the real ${place} in its place.${place === 'password' ? whereFound(draft) : ''}`,
        place,
        engine,
      )
    }
  }
}

/** `postgres.[YOUR-PROJECT-REF]`, `db.<ref>.supabase.co` */
const INNER = /\[(?:your|project|ref|region)|<\w|\$\{/i

/** Whether a text stands for another one that a person has to put in. */
export const isPlaceholder = (text: string): boolean =>
  text.length <= 200 && [BRACKETS, MASK, WORDS, CAPITALS].some((it) => it.test(text))

/** Whether a text names a variable. */
export const isVariable = (text: string): boolean => text.length <= 200 && VARIABLE.test(text)

function whereFound({ host = '' }: Draft): string {
  if (/\.supabase\.(?:com|co)$/i.test(host)) {
    return ' Supabase shows it once; you can set another in the settings of the project, under Database.'
  }
  if (/\.neon\.tech$/i.test(host)) {
    return ' Neon shows it under Connect, with Show password.'
  }
  return ''
}
