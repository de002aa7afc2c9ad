// Compares the entries in a file with the existing ones, field by field.
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../ground/index.ts'

type PlanObject = Readonly<Record<string, unknown>>

/** A change to one entry. */
export interface PlannedChange {
  readonly action: 'add' | 'change' | 'remove'
  /** `endpoint`, `group`, `key` or `settings`. */
  readonly kind: string
  readonly name: string
  readonly fields: readonly ChangedField[]
  readonly before?: PlanObject | undefined
  readonly value?: PlanObject
}

/** A field that differs, by its path. */
export interface ChangedField {
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

/**
 * The changes that turn the existing entries of one kind into those in a file.
 * @param prune true to remove entries that are not in the file
 */
export function changesOf(
  kind: string,
  wanted: ReadonlyMap<string, PlanObject>,
  existing: ReadonlyMap<string, PlanObject>,
  prune = false,
): PlannedChange[] {
  const changes = [...wanted].flatMap(([name, value]): PlannedChange[] => {
    const before = existing.get(name)
    const fields = fieldsOf(before, value)
    const action = before ? 'change' : 'add'
    return before && fields.length === 0 ? [] : [{ action, kind, name, fields, before, value }]
  })
  if (!prune) return changes
  const rest = [...existing.keys()].filter((name) => !wanted.has(name))
  return [
    ...changes,
    ...rest.map((name) => ({ action: 'remove', kind, name, fields: [] }) as const),
  ]
}

function fieldsOf(before: PlanObject | undefined, value: PlanObject): ChangedField[] {
  const [was, is] = [leavesOf(before ?? {}), leavesOf(value)]
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((field) => ({ field, from: was.get(field), to: is.get(field) }))
    .filter(({ from, to }) => !isDeepStrictEqual(from, to))
}

/** The values within an object by path: `caps.rows`. A list is one value. */
export function leavesOf(
  value: unknown,
  path = '',
  found = new Map<string, unknown>(),
): Map<string, unknown> {
  const within = isObject(value) ? Object.entries(value) : []
  for (const [name, it] of within) leavesOf(it, path ? `${path}.${name}` : name, found)
  const isLeaf = within.length === 0 && path !== ''
  return isLeaf && value !== undefined ? found.set(path, value) : found
}

/** The JSON Merge Patch (RFC 7396) that turns one value into another. */
export function patchOf(was: PlanObject, is: PlanObject): PlanObject {
  const names = new Set([...Object.keys(was), ...Object.keys(is)])
  const changed = [...names].filter((it) => !isDeepStrictEqual(was[it], is[it]))
  return Object.fromEntries(
    changed.map((name) => {
      const [from, to] = [was[name], is[name]]
      if (to === undefined) return [name, null]
      return [name, isObject(from) && isObject(to) ? patchOf(from, to) : to]
    }),
  )
}
