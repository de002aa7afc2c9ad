// Lets the deployment parse the text that people paste as a connection string.
import type { Answers } from '../../registry/index.ts'
import { hasNoSecret } from '../database-url.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { plain } from '../terminal/table.ts'
import type { ApiRequest } from './api.ts'

/** Extracts a database URL from any text that contains a connection string. Reports corrections on stderr. */
export async function recognised(ask: ApiRequest, text: string): Promise<string> {
  if (hasNoSecret(text)) return text
  const path = '/api/connection-strings/recognise'
  const found = await ask<Answers['Recognised'] | Answers['Unrecognised']>('POST', path, { text })
  if (!found.ok) throw new CommandFailure(found.sentence)
  for (const sentence of [...found.changes, ...found.hints]) console.error(plain(sentence))
  return found.url
}

/** The fix for a database, as text for a terminal. */
export function fixText({ sentence, steps, others = [] }: Answers['Fix']): string {
  const other = others.map((it, i) => (i === 0 ? { ...it, message: `Or: ${it.message}` } : it))
  const lines = [...steps, ...other].flatMap(({ message, command }) => [
    '',
    plain(message),
    ...(command ?? '').split('\n').flatMap((line) => (line ? [`  ${plain(line)}`] : [])),
  ])
  return [plain(sentence), ...lines].join('\n')
}
