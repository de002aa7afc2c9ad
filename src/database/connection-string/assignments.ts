import { knownScheme } from './families.ts'
import { begun } from './url-form.ts'

/** A line that gives a name a value, as files of settings, shells and programs write it. */
export interface Assignment {
  readonly name: string
  readonly value: string
}

/** Words before a name that say that it gets a value. */
const BEFORE =
  /^(?:-\s+|export\s+|setx?\s+(?:"(?=[\w.]+=))?|declare\s+(?:-x\s+)?|env\s+|arg\s+|const\s+|let\s+|var\s+|val\s+|public\s+|static\s+|final\s+|string\s+|\$env:|--)/i

/** The name and the value of a line, if it gives one. */
export function assignmentIn(line: string): Assignment | undefined {
  let rest = line.trim()
  for (let i = 0; i < MAX_WORDS_BEFORE; i++) rest = rest.replace(BEFORE, '')
  const name = /^(?:"[\w.:/ -]{1,100}"|'[\w.:/ -]{1,100}'|[\w.$-]{1,100})/.exec(rest)?.[0]
  if (name === undefined) return undefined
  const behind = rest.slice(name.length).trimStart()
  const sign = /^(?:=>|:=|\?=|=|:(?=\s|$|["'])|\s+(?=\S+:\/\/))/.exec(behind)?.[0]
  if (sign === undefined) return undefined
  const bare = name.replace(/^["']|["']$/g, '')
  if (sign === ':' && isScheme(bare, rest)) return undefined
  return { name: bare, value: writtenIn(behind.slice(sign.length).trim()) }
}

const MAX_WORDS_BEFORE = 3

/** `postgres: //host`, and not the name of a value. */
const isScheme = (name: string, line: string) =>
  knownScheme(name) !== undefined && /[\\/]/.test(begun(line)?.mark ?? '')

/** A value without a remark behind it. Quotes stay: they say where it ends. */
function writtenIn(text: string): string {
  const quote = text[0]
  if (quote === '"' || quote === "'" || quote === '`') {
    const end = text.indexOf(quote, 1)
    const behind = end < 0 ? '' : text.slice(end + 1).trim()
    if (end > 0 && (behind === '' || /^(?:[;,)}]|#|\/\/)/.test(behind)))
      return text.slice(0, end + 1)
    return text
  }
  const remark = text.search(/\s#/)
  const value = remark < 0 ? text : text.slice(0, remark).trimEnd()
  // `DATABASE_URL=postgres://… npm start`: a command that gets it.
  const [first = '', ...rest] = value.split(/\s/, 2)
  const mark = first.indexOf('://')
  return rest.length > 0 && mark > 0 && first.includes('@', mark) ? first : value
}
