/**
 * Proof, over plain http, that a form comes from the person who signed in. A browser sends its cookies to every port of
 * a machine, and another user can listen on one of them. The browser's storage belongs to one port.
 */

/** Form field for the proof. */
export const PROOF = 'proof'

/** Form field for the admin key, if the browser has no proof. */
export const OPERATOR_KEY = 'operator-key'

/**
 * Script that stores the proof, which a sign-in puts after `#`, and adds it to each form. Anyone can write such a link,
 * so the page has the hash of this session's proof, and any other proof is dropped.
 */
export const keepProof = `const [, proof] = /^#proof=([\\w-]+)$/.exec(location.hash) ?? []
const isOwn = async () => {
  const digest = await crypto.subtle?.digest('SHA-256', new TextEncoder().encode(proof))
  const hash = Array.from(new Uint8Array(digest), (it) => it.toString(16).padStart(2, '0'))
  return hash.join('') === document.documentElement.dataset.proof
}
const keep = async () => {
  if (await isOwn()) localStorage.setItem('tidegate-proof', proof)
  history.replaceState(null, '', location.pathname + location.search)
}
if (proof) keep()
document.addEventListener('formdata', ({ target, formData }) => {
  const kept = localStorage.getItem('tidegate-proof')
  if (kept && target.getAttribute('method') === 'post') formData.set('${PROOF}', kept)
})
`
