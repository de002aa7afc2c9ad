import { fieldOf, put } from './draft.ts'
import { usual } from './engine-of.ts'
import { NotRecognised } from './fault.ts'
import type { Notes, Program, StringDraft } from './pasted.ts'

/** The content of a command: fields from its options, or another connection string. */
export type CommandContent = { readonly draft: StringDraft } | { readonly text: string }

/** Reads a command such as `psql -h host -U user db`. Undefined for any other text. */
export function readCommand(text: string, notes: Notes): CommandContent | undefined {
  const words = shellWords(text.replace(/^[$>#] /, ''))
  const at = words.findIndex((it) => !/^\w+=/.test(it))
  const name = words[at] ?? ''
  const engine = notes.engines.find(({ program }) => program?.names.includes(name))
  if (!engine?.program || words.length < 2) return undefined
  const { program } = engine
  notes.changes.push(`Read a ${name} command.`)
  const inner = words.find((it) => /^[\w+]+:\/\//.test(it) || /^(?:host|dbname)=./.test(it))
  if (inner !== undefined) return { text: inner }
  const draft: StringDraft = { scheme: usual(engine), host: '127.0.0.1', params: new Map() }
  for (const word of words.slice(0, at)) {
    if (word.startsWith(`${program.variable}=`)) draft.password = word.slice(word.indexOf('=') + 1)
  }
  const plain = readOptions(words.slice(at + 1), program, draft)
  // An extra word could be a password, while the names of users and databases are shown.
  if (plain > program.places.length) {
    throw new NotRecognised(
      `This ${name} command has one word too many. Write a password in front of it, as ${program.variable}=PASSWORD, in quotes if it has spaces.`,
      'password',
    )
  }
  return { draft }
}

/** Splits a command into words as a shell does, without their quotes. */
const shellWords = (text: string): readonly string[] =>
  (text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []).map((word) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single),
  )

/** Reads a command's options into a draft. Returns the number of words that do not belong to an option. */
function readOptions(words: readonly string[], program: Program, draft: StringDraft): number {
  const { options, flags = {}, places, isPasswordNext } = program
  let plain = 0
  let isMeant = false
  const isPrompt = (word = '') =>
    word === '-W' || options[word] === 'password' || (word === '--password' && !isPasswordNext)
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    // The rest is another command or a file.
    if (/^(?:[|<>;]|\d?>|&&)/.test(word)) break
    const [, long, written] = /^--([\w-]+)(?:=(.*))?$/s.exec(word) ?? []
    if (long !== undefined) {
      if (Object.hasOwn(flags, long)) draft.params.set(flags[long]!, '1')
      else if (written !== undefined) put(draft, long, written)
      else if (fieldOf(long) && !isPrompt(word)) put(draft, long, words[++i] ?? '')
    } else if (word.startsWith('-')) {
      const field = options[word.slice(0, 2)]
      if (field && !isPrompt(word)) put(draft, field, word.slice(2) || words[++i] || '')
    } else {
      if (plain === 0) isMeant = isPrompt(words[i - 1])
      const place = places[plain++]
      if (place) draft[place] ??= word
    }
  }
  // The first of several words after a prompt option may be intended as the password.
  return isMeant && plain > 1 ? places.length + 1 : plain
}
