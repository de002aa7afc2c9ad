/** Names of databases that say nothing about what is in them. */
const EMPTY_NAMES = new Set([
  ...['postgres', 'postgresql', 'template1', 'mysql', 'mariadb', 'default', 'defaultdb', 'neondb'],
  ...['verceldb', 'railway', 'main', 'db', 'database', 'data', 'test', 'public', 'koyebdb', 'tsdb'],
  ...['app', 'dev', 'prod', 'production', 'development', 'staging', 'local', 'master', 'primary'],
])

const MAX_NAME = 31

/** A name for an endpoint, and a title, from what a connection string says. */
export function suggested({
  database = '',
  host = '',
  service,
  engine,
}: {
  readonly database?: string | undefined
  readonly host?: string | undefined
  readonly service?: string | undefined
  readonly engine: string
}): { readonly name: string; readonly title: string } {
  const label = host.split('.')[0] ?? ''
  const isTelling = (it: string) =>
    /[a-z]/i.test(it) && slug(it) !== '' && !EMPTY_NAMES.has(it.toLowerCase())
  const isWord = (it: string) => /^[a-z][a-z-]{2,30}$/i.test(it) && !HOST_WORDS.test(it)
  const found = isTelling(database)
    ? database
    : isWord(label) && isTelling(label)
      ? label
      : (service ?? engine)
  const words = found.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
  const title = words.charAt(0).toUpperCase() + words.slice(1)
  return { name: slug(found) || 'database', title: title.slice(0, 80) || engine }
}

/** First labels of hosts that say what runs there, and not for whom. */
const HOST_WORDS =
  /^(?:localhost|db|aws|gcp|azure|postgres(?:ql)?|mysql|sql|pooler|ep|server|host)(?:-|$)/i

/** A text as an endpoint may be called. */
function slug(text: string): string {
  let name = ''
  for (const letter of text.normalize('NFKD').toLowerCase().slice(0, 200)) {
    if (/[a-z\d]/.test(letter)) name += letter
    else if (!/\p{M}/u.test(letter) && name !== '' && !name.endsWith('-')) name += '-'
  }
  return name
    .replace(/^[\d-]+/, '')
    .slice(0, MAX_NAME)
    .replace(/-$/, '')
}
