// Measures targets in rounds, so that other work on the machine affects all of them.
import { bundle } from './build.mjs'
import { configure } from './workerd.mjs'

/**
 * Bundles and configures targets. Leaves out a peer that is not installed, or a version of Tidegate
 * that lacks the measured feature, and reports that.
 */
export async function prepared(targets) {
  const list = []
  for (const target of targets) {
    try {
      const made = await bundle(target)
      list.push({ ...target, ...made, place: configure(target, made) })
    } catch (error) {
      const [text = ''] = error.errors?.map((it) => it.text) ?? []
      const missing = /^Could not resolve "([^./][^"]*)"/.exec(text)?.[1]
      if (target.source && text) leftOut(target, text)
      else if (missing) leftOut(target, `${missing} is not installed.`)
      else throw error
    }
  }
  return list
}

/**
 * Measures each target in each round, and reverses the order in every other round. A version of Tidegate
 * that fails is left out, because it may lack the measured feature.
 * @param measure returns a target's rows in a round
 */
export async function inRounds(list, rounds, measure) {
  const rows = new Map(list.map((it) => [it, []]))
  for (let i = 0; i < rounds; i++) {
    for (const it of i % 2 ? list.toReversed() : list) {
      if (!rows.has(it)) continue
      try {
        rows.get(it).push(...(await measure(it, i)))
      } catch (error) {
        if (!it.source) throw error
        leftOut(it, error.message.split('\n')[0])
        rows.delete(it)
      }
    }
  }
  return [...rows.values()].flat()
}

const said = new Set()

/** Reports once why a target is left out. */
function leftOut({ name, source }, why) {
  const sentence = `${name} is left out: ${why.replaceAll(`${source}/`, '')}`
  if (!said.has(sentence)) console.log(`${sentence}\n`)
  said.add(sentence)
}
