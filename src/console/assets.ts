/// <reference path="./css.d.ts" />

import access from './access/section.css'
import activity from './activity/section.css'
import { watchCalls } from './activity/watch-calls.ts'
import add from './add/section.css'
import style from './console.css'
import { keepProof } from './proof.ts'
import { countWords } from './schema/count-words.ts'
import schema from './schema/section.css'
import { watchSetup } from './watch-setup.ts'
import workbench from './workbench/section.css'

/** Styles for all pages, then for single sections. */
const styles = [style, access, activity, add, schema, workbench]

/** Files that pages load, by path. Pages load nothing else, from here or from other hosts. */
const assets: Readonly<Record<string, { readonly type: string; readonly text: string }>> = {
  '/assets/console.css': { type: 'text/css; charset=utf-8', text: styles.join('\n') },
  '/assets/copy.js': {
    type: 'text/javascript; charset=utf-8',
    // The button shows "Copied" for a moment. Without this script, the buttons are hidden.
    text: `document.addEventListener('click', async ({ target }) => {
  const button = target.closest('[data-copy]')
  if (!button) return
  const text = document.getElementById(button.dataset.copy).textContent
  const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false)
  button.textContent = copied ? 'Copied' : 'Select it'
  setTimeout(() => (button.textContent = 'Copy'), 1500)
})
`,
  },
  '/assets/proof.js': { type: 'text/javascript; charset=utf-8', text: keepProof },
  '/assets/calls.js': { type: 'text/javascript; charset=utf-8', text: watchCalls },
  '/assets/schema.js': { type: 'text/javascript; charset=utf-8', text: countWords },
  '/assets/setup.js': { type: 'text/javascript; charset=utf-8', text: watchSetup },
  '/favicon.svg': {
    type: 'image/svg+xml',
    text: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none"><path d="M5 6h22M15.5 6l5.5 10.5" stroke="#4f7f8a" stroke-width="3.6" stroke-linecap="round"/><path d="M3.5 16.2c0-.8.5-1.2 1.2-1.2h6.8c6.8 0 5.2 7.5 12 7.5h3.8c.8 0 1.2.4 1.2 1.2V27c0 .8-.4 1.2-1.2 1.2H4.7c-.7 0-1.2-.4-1.2-1.2z" fill="#12829c"/></svg>
`,
  },
}

/** Response for the path of an asset; undefined for any other path. */
export function asset(path: string): Response | undefined {
  if (!Object.hasOwn(assets, path)) return undefined
  const { type, text } = assets[path]!
  return new Response(text, {
    headers: {
      'content-type': type,
      'cache-control': 'public, max-age=3600',
      'x-content-type-options': 'nosniff',
    },
  })
}
