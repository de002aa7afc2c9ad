// The entries of a file: endpoints and groups.
import { Failure } from './api.mjs'

/**
 * Checks the names of entries. Those of the configuration may be in a list that was printed, and are left
 * out.
 */
export function named(list, kind) {
  const entries = list.filter((it) => it?.from !== 'configuration').map(withoutShown)
  const names = entries.map(({ name }) => name)
  for (const [i, name] of names.entries()) {
    if (typeof name !== 'string') throw new Failure(`The ${kind} at place ${i + 1} has no name.`, 2)
    if (names.indexOf(name) < i) throw new Failure(`The ${kind} ${name} is in the file twice.`, 2)
  }
  return entries
}

/** An entry without what the API only shows. */
export function withoutShown(entry) {
  const { from: _, createdAt: __, changedAt: ___, credentials: ____, ...rest } = entry ?? {}
  return rest
}

/** An endpoint with the URLs that its file leaves out, because they stay, or takes from variables. */
export function withUrls(endpoint, before) {
  return withEach(endpoint, 'databases', (it, name) => {
    const url = it.url ?? before?.databases[name]?.url
    if (url !== undefined) return { ...it, url: urlOf(url) }
    throw new Failure(
      `The database ${name} of the endpoint ${endpoint.name} has no url. Write "env:NAME", for the environment variable that holds it.`,
      2,
    )
  })
}

/** The same for a group, whose databases need no URLs of their own. */
export const withOwnUrls = (group) =>
  withEach(group, 'endpoints', (rules) =>
    withEach(rules, 'databases', (it) =>
      it.url === undefined ? it : { ...it, url: urlOf(it.url) },
    ),
  )

/** A value with each object in one of its fields changed. What is no object, the API refuses. */
function withEach(value, field, change) {
  const isObject = (it) => typeof it === 'object' && it !== null && !Array.isArray(it)
  if (!isObject(value) || !isObject(value[field])) return value
  const changed = Object.entries(value[field]).map(([name, it]) => [
    name,
    isObject(it) ? change(it, name) : it,
  ])
  return { ...value, [field]: Object.fromEntries(changed) }
}

function urlOf(url) {
  const [, variable] = /^env:(\w+)$/.exec(url) ?? []
  if (!variable) return url
  const value = process.env[variable]?.trim()
  if (value) return value
  throw new Failure(`The environment variable ${variable}, which the file names, is not set.`, 2)
}
