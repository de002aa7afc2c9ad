/**
 * Script for Activity. Every few seconds it loads new calls and adds their rows. While someone reads the list, new rows
 * wait behind a button, so that nothing moves. It stops while the page is hidden or paused.
 */
export const watchCalls = `const list = document.getElementById('calls')
const said = document.getElementById('live-said')
const pause = document.getElementById('live-pause')
const fresh = document.getElementById('live-new')
const MOST = 200
const FIGURES_EVERY = 15
let waiting = []
let timer
let asked = 0
let paused = false

const rows = () => [...list.children]
const isRead = () => {
  const chosen = getSelection()
  return list.matches(':hover') || list.contains(document.activeElement) || list.getBoundingClientRect().top < 0 ||
    (!chosen.isCollapsed && list.contains(chosen.anchorNode))
}

async function look() {
  clearTimeout(timer)
  if (document.hidden || paused) return
  try {
    const newest = [...waiting, ...rows()].reduce((most, it) => (it.dataset.id > most ? it.dataset.id : most), '')
    const page = await read(list.dataset.rows + '&after=' + newest)
    const known = new Set([...waiting, ...rows()].map((it) => it.dataset.id))
    waiting.push(...[...page.querySelectorAll('tr[data-id]')].filter((it) => !known.has(it.dataset.id)))
    show(isRead())
    if (++asked % FIGURES_EVERY === 0) await redraw()
    if (!paused) say('Live')
  } catch (error) {
    if (error.isEnd) return say('Your session has ended. Reload the page to sign in again.')
    say('No answer. Trying again.')
  }
  timer = setTimeout(look, Number(list.dataset.every))
}

async function read(path) {
  const answer = await fetch(path, { cache: 'no-store', redirect: 'manual' })
  if (answer.type === 'opaqueredirect') throw Object.assign(new Error('The session has ended.'), { isEnd: true })
  if (!answer.ok) throw new Error('It answered ' + answer.status)
  return new DOMParser().parseFromString(await answer.text(), 'text/html')
}

function show(isLater) {
  if (!isLater && waiting.length > 0) {
    for (const row of waiting.sort((a, b) => (a.dataset.id < b.dataset.id ? -1 : 1))) {
      list.insertBefore(row, rows().find((it) => it.dataset.id < row.dataset.id) ?? null)
    }
    waiting = []
    for (const it of rows().slice(MOST)) it.remove()
    document.getElementById('no-calls')?.remove()
    document.getElementById('calls-panel').hidden = false
  }
  // The list has no room for more.
  waiting = waiting.slice(-MOST)
  fresh.hidden = waiting.length === 0
  fresh.textContent = waiting.length === 1 ? 'Show 1 new call' : 'Show ' + waiting.length + ' new calls'
}

async function redraw() {
  const old = document.getElementById('figures')
  if (!old || old.contains(document.activeElement) || old.matches(':hover')) return
  const page = await read(list.dataset.figures)
  const made = page.getElementById('figures')
  if (!made) return
  for (const it of old.querySelectorAll('details[open]')) {
    const same = made.querySelector('#' + it.id)
    if (same) same.open = true
  }
  old.replaceWith(made)
}

function say(text) {
  if (said.textContent !== text) said.textContent = text
}

if (list?.dataset.rows) {
  document.getElementById('live').hidden = false
  pause.addEventListener('click', () => {
    paused = !paused
    pause.textContent = paused ? 'Resume' : 'Pause'
    if (!paused) return look()
    clearTimeout(timer)
    say('Paused')
  })
  fresh.addEventListener('click', () => {
    show(false)
    document.getElementById('calls-head').focus()
  })
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer)
    else look()
  })
  timer = setTimeout(look, Number(list.dataset.every))
}
`
