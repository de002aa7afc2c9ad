/** Database names that do not describe the content. */
const EMPTY_NAMES = new Set([
  ...['default', 'defaultdb', 'main', 'db', 'database', 'data', 'test', 'public', 'app', 'dev'],
  ...['prod', 'production', 'development', 'staging', 'local', 'master', 'primary', 'template1'],
])

const MAX_NAME = 31

/**
 * Suggests an endpoint's name and title. They come from its database, or from its provider or engine if those are
 * more descriptive.
 */
export function suggested(
  database: string,
  instead: string,
): { readonly name: string; readonly title: string } {
  const name = slug(database)
  const isTelling = name !== '' && !EMPTY_NAMES.has(name) && !instead.toLowerCase().startsWith(name)
  const words = (isTelling ? database : instead).replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
  return {
    name: isTelling ? name : slug(instead) || 'database',
    title: (words.charAt(0).toUpperCase() + words.slice(1)).slice(0, 80),
  }
}

const slug = (text: string): string =>
  text
    .slice(0, 200)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^[\d-]+/, '')
    .slice(0, MAX_NAME)
    .replace(/-$/, '')
