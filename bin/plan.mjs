// Compares what a file wants with what is there, field by field.

/**
 * What has to be done so that the entries of one kind become those of a file.
 * @param kind `endpoint`, `group` or `key`
 * @param wanted entries by their names, each with all of its fields
 * @param existing what is there now, in the same form
 * @param prune whether to remove what is not in the file
 */
export function changesOf(kind, wanted, existing, prune) {
  const rest = [...existing.keys()].filter((name) => !wanted.has(name))
  return [
    ...[...wanted].flatMap(([name, value]) => {
      const before = existing.get(name)
      const fields = fieldsOf(before, value)
      const action = before ? 'change' : 'add'
      return before && fields.length === 0 ? [] : [{ action, kind, name, fields, before, value }]
    }),
    ...(prune ? rest.map((name) => ({ action: 'remove', kind, name, fields: [] })) : []),
  ]
}

/** The fields that differ, by their paths. */
function fieldsOf(before, value) {
  const [was, is] = [leavesOf(before ?? {}), leavesOf(value)]
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((field) => ({ field, from: was.get(field), to: is.get(field) }))
    .filter(({ from, to }) => !isSame(from, to))
}

/** The values within an object by their paths: `caps.rows`. A list is one value. */
export function leavesOf(value, path = '', found = new Map()) {
  const within = isObject(value) ? Object.entries(value) : []
  for (const [name, it] of within) leavesOf(it, path ? `${path}.${name}` : name, found)
  const isLeaf = within.length === 0 && path !== ''
  return isLeaf && value !== undefined ? found.set(path, value) : found
}

/** The JSON Merge Patch (RFC 7396) that makes one value of another. */
export function patchOf(was, is) {
  const names = new Set([...Object.keys(was), ...Object.keys(is)])
  const changed = [...names].filter((it) => !isSame(was[it], is[it]))
  return Object.fromEntries(
    changed.map((name) => {
      const [from, to] = [was[name], is[name]]
      if (to === undefined) return [name, null]
      return [name, isObject(from) && isObject(to) ? patchOf(from, to) : to]
    }),
  )
}

/** Whether two values of JSON are the same, in whatever order their fields are. */
export function isSame(one, other) {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((it, i) => isSame(it, other[i]))
  }
  if (!isObject(one) || !isObject(other)) return one === other
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every((name) => isSame(one[name], other[name]))
}

const isObject = (it) => typeof it === 'object' && it !== null && !Array.isArray(it)
