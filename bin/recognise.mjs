// Has the deployment read what people paste for a connection string.
import { Failure } from './api.mjs'
import { hasNoSecret } from './database-url.mjs'
import { plain } from './table.mjs'

/** The URL for an endpoint of any text with a connection string. Says on stderr what was changed to read it. */
export async function recognised(ask, text) {
  if (hasNoSecret(text)) return text
  const found = await ask('POST', '/api/connection-strings/recognise', { text }).catch((error) => {
    // A deployment that is older than this command takes URLs only.
    if (error instanceof Failure && error.message.includes('no such path')) {
      return { ok: true, url: text, changes: [], hints: [] }
    }
    throw error
  })
  if (!found.ok) throw new Failure(found.sentence)
  for (const sentence of [...found.changes, ...found.hints]) console.error(plain(sentence))
  return found.url
}

/** What mends a database, as a text for a terminal. */
export function mendText({ sentence, steps, others = [] }) {
  const other = others.map((it, i) => (i === 0 ? { ...it, say: `Or: ${it.say}` } : it))
  const lines = [...steps, ...other].flatMap(({ say, command }) => [
    '',
    plain(say),
    ...(command ?? '').split('\n').flatMap((line) => (line ? [`  ${plain(line)}`] : [])),
  ])
  return [plain(sentence), ...lines].join('\n')
}
