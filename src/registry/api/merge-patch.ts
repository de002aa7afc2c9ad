import { ApiFault } from './fault.ts'

/** How deep a patch may be nested. */
const MAX_DEPTH = 16

/** Applies a JSON Merge Patch (RFC 7396): objects are merged, null removes, and all else replaces. */
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

const isObject = (it: unknown): it is Record<string, unknown> =>
  typeof it === 'object' && it !== null && !Array.isArray(it)
