import { servicesOf } from './engine-of.ts'
import { NotRecognised } from './fault.ts'
import type { Notes, StringDraft } from './pasted.ts'
import type { RecognisedField } from './recognised.ts'
import { serviceOf } from './services.ts'

const BRACKETS =
  /^(?:<.*>|\{your[^{}]*\}|\{\{.*\}\}|\[\[?(?:your|my|the|pass|user|host|db|database|project|port|ref|insert|enter|change)[^\]]*\]?\])$/i
const MASK = /^[*•●·xX.…]{3,}$/u
const WORDS =
  /^(?:your|my|the|enter|insert|put|change|replace)[-_ ]?(?:own|db|database|user|secure|strong|secret|new|real|actual|me|this)?[-_ ]?(?:password|passwd|pass|pw|user(?:name)?|host(?:name)?|database|db|name|token|here|me|this)(?:[-_ ]?here)?$/i
const CAPITALS =
  /^(?:PASSWORD|PASSWD|PASS|PWD|USER|USERNAME|HOST|HOSTNAME|PORT|DATABASE|DBNAME|DB|TOKEN|AUTH_?TOKEN|REDACTED|SECRET|PLACEHOLDER|TODO|CHANGE_?ME|REPLACE_?ME|XXX+)$/
const VARIABLE =
  /^(?:\$\{[^}]*\}|\$\([^)]*\)|\$[A-Z_][A-Z\d_]*|%[A-Z_][A-Z\d_]*%|\{[a-z_][\w.]*\}|\$env:\w+|process\.env\.\w+)$/i

const FIELDS: readonly RecognisedField[] = ['host', 'port', 'user', 'password', 'database']

/** Throws {@link NotRecognised} if a part is still a placeholder from a page with instructions. */
export function assertFilledIn(draft: StringDraft, { engines }: Pick<Notes, 'engines'>): void {
  const where = serviceOf(draft.host ?? '', servicesOf(engines))?.password
  for (const place of FIELDS) {
    const text = draft[place]
    if (text === undefined) continue
    if (isVariable(text) && !isPlaceholder(text)) {
      throw new NotRecognised(
        `The ${place} is the name of a variable, and its value is not in this text. Replace it with the value.`,
        place,
      )
    }
    if (isPlaceholder(text) || (place !== 'password' && INNER.test(text))) {
      throw new NotRecognised(
        `The ${place} is still a placeholder. Replace it with the real ${place}.${place === 'password' && where ? ` ${where}` : ''}`,
        place,
      )
    }
  }
}

/** `postgres.[YOUR-PROJECT-REF]`, `db.<ref>.supabase.co` */
const INNER = /\[(?:your|project|ref|region)|<\w|\$\{/i

const isPlaceholder = (text: string): boolean =>
  text.length <= 200 && [BRACKETS, MASK, WORDS, CAPITALS].some((it) => it.test(text))

const isVariable = (text: string): boolean => text.length <= 200 && VARIABLE.test(text)
