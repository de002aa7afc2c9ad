/**
 * Script for the setup page. Every three seconds it checks which settings are set and replaces the steps that changed.
 * It pauses while the page is hidden, and stops once everything is set.
 */
export const watchSetup = `const WAIT = 3000
const said = document.getElementById('looking')
const list = document.getElementById('steps')
let timer

async function look() {
  clearTimeout(timer)
  if (document.hidden) return
  try {
    const { complete, steps } = await (await fetch('/setup?format=json', { cache: 'no-store' })).json()
    if (complete || [...list.children].some((it) => it.dataset.step && it.dataset.state !== steps[it.dataset.step])) {
      await show()
    }
    if (complete) return
    if (said.dataset.silent) say('Checking every 3 seconds.')
  } catch {
    say('No answer. Trying again.', true)
  }
  timer = setTimeout(look, WAIT)
}

async function show() {
  const answer = await fetch('/setup', { headers: { accept: 'text/html' }, cache: 'no-store' })
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const steps = fresh.getElementById('steps')
  document.title = fresh.title
  if (!steps) {
    document.getElementById('main').replaceChildren(...fresh.getElementById('main').children)
    document.querySelector('h1').focus()
    return
  }
  const done = []
  for (const [i, step] of [...steps.children].entries()) {
    const old = list.children[i]
    if (old.dataset.state === step.dataset.state && old.className === step.className) continue
    if (old.dataset.state !== step.dataset.state && step.dataset.state === 'set') done.push(step.querySelector('h2').textContent)
    const hadFocus = old.contains(document.activeElement)
    old.replaceWith(step)
    if (hadFocus) step.querySelector('h2').focus()
  }
  document.querySelector('h1').textContent = fresh.querySelector('h1').textContent
  if (done.length > 0) say(done.join('. '))
}

function say(text, silent = false) {
  said.textContent = text
  said.dataset.silent = silent ? '1' : ''
}

if (list) {
  say('Checking every 3 seconds.')
  document.addEventListener('visibilitychange', look)
  timer = setTimeout(look, WAIT)
}
`
