import { escaped, page } from './page.ts'

/** The page where a person signs in. Its form posts to its own URL, so the question is still there afterwards. */
export const signInPage = ({ fault }: { readonly fault?: string }): Response =>
  page(
    fault ? 403 : 200,
    'Sign in to Tidegate',
    `${fault ? `<p role="alert">${escaped(fault)}</p>` : ''}
<form method="post">
<p><label>Passphrase or code <input type="password" name="passphrase" autocomplete="current-password" required autofocus></label></p>
<p><button>Sign in</button></p>
</form>`,
  )
