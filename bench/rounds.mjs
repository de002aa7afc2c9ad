// Measures targets in rounds, so that what else the machine does meets all of them.
import { bundle } from './build.mjs'
import { configure } from './workerd.mjs'

/**
 * Bundles and configures targets. Leaves out a peer that is not installed, and a version of Tidegate
 * that lacks what is measured, and says so.
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
 * Measures each target in each round, and turns the order around in every other round. A version of
 * Tidegate that fails is left out, as it may lack what is measured.
 * @param measure gives back the rows of a target in a round
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

/** Says once why a target is left out. */
function leftOut({ name, source }, why) {
  const sentence = `${name} is left out: ${why.replaceAll(`${source}/`, '')}`
  if (!said.has(sentence)) console.log(`${sentence}\n`)
  said.add(sentence)
}
