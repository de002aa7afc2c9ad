/** Whether a name is matched by patterns with `*` and `?`, of which one that begins with `!` excludes it. */
export function matches(name: string, patterns: readonly string[]): boolean {
  const hits = patterns.filter((it) => isLike(name, it.replace(/^!/, '')))
  return hits.length > 0 && !hits.some((it) => it.startsWith('!'))
}

// Only the last star is ever tried again, so no pattern takes longer than both lengths multiplied.
function isLike(name: string, pattern: string): boolean {
  let [at, star, resume] = [0, -1, 0]
  for (let i = 0; i < name.length; ) {
    if (pattern[at] === '*') {
      star = at++
      resume = i
    } else if (pattern[at] === '?' || pattern[at] === name[i]) {
      at++
      i++
    } else if (star >= 0) {
      at = star + 1
      i = ++resume
    } else return false
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}
