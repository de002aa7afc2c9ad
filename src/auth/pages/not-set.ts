import { isWorker, type SignInEnv } from '../settings.ts'
import { html } from './html.ts'
import { page } from './page.ts'

export { errorPage } from './error.ts'

/** The page for a deployment where nobody can sign in. It explains what to set, and how. */
export function notSetPage(env: SignInEnv, origin: string): Response {
  const { TIDEGATE_KEY, TIDEGATE_SECRET } = env
  const inWorker = isWorker(env)
  const secret = (what: string, make: string, name: string) =>
    html`<div class="stack"><p>${what}, from <code>${make}</code></p>
<pre>${inWorker ? `npx wrangler secret put ${name}` : `${name}=…`}</pre></div>`
  const secrets = [
    secret(
      'The passphrase that people sign in with',
      'openssl rand -base64 18',
      'TIDEGATE_PASSPHRASE',
    ),
    !TIDEGATE_SECRET &&
      secret('The secret that encrypts stored data', 'openssl rand -base64 32', 'TIDEGATE_SECRET'),
    !TIDEGATE_KEY && secret('The admin key', 'openssl rand -hex 32', 'TIDEGATE_KEY'),
  ]
  const passphrase = html`<p class="small dim">The passphrase needs at least 15 characters.</p>`
  return page(
    'Nobody can sign in here yet',
    html`<div class="panel"><p>This deployment has no sign-in. Apps reach it with a key, in the header <code>Authorization: Bearer KEY</code>.</p>
<p>If you are its operator, you can turn the sign-in on.</p>
${
  inWorker
    ? html`<hr><h2>Deployed on Cloudflare</h2>
${secrets}
${passphrase}
<hr><h2>On your own computer</h2>
<p>Write it into the file <code>.dev.vars</code>, or give it to <code>npm start</code>, which makes the rest:</p>
<pre>TIDEGATE_PASSPHRASE='…' npm start</pre>`
    : html`<hr><h2>Where it was started</h2>
<p>Set this in the environment of <code>npx tidegate serve</code>, or as a line of the file that <code>--vars</code> names, and start it again.</p>
${secrets}
${passphrase}`
}
<hr><p class="small dim">People can also sign in with Google, GitHub, or another provider: see <code>docs/sign-in.md</code>. Then add <code>${origin}/mcp</code> to an app.</p>
<p class="small dim"><a href="/setup">Everything that is not set yet</a></p></div>`,
    { status: 404 },
  )
}
