import { isObject } from '../../ground/index.ts'
import { ApiFault } from './fault.ts'

/** Maximum depth of a patch. */
const MAX_DEPTH = 16

/** Applies a JSON Merge Patch (RFC 7396): objects are merged, null removes, and anything else replaces. */
export function mergePatch(target: unknown, patch: unknown, depth = 0): unknown {
  if (!isObject(patch)) return patch
  if (depth > MAX_DEPTH) throw new ApiFault(422, 'The body is nested too deeply.')
  const merged = new Map(Object.entries(isObject(target) ? target : {}))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value, depth + 1))
  }
  return Object.fromEntries(merged)
}
