import type { ConsentDescription } from '@cloudflare/workers-oauth-provider'
import type { Offer } from '../server/offers.ts'
import { escaped, page } from './page.ts'

/** What a person is asked. */
interface Consent extends ConsentDescription {
  readonly handle: string
  readonly person: string
  readonly offers: readonly Offer[]
  readonly more: number
}

const tick = (name: string, value: string, text: string, ticked: boolean): string =>
  `<p><label><input type="checkbox" name="${name}" value="${escaped(value)}"${ticked ? ' checked' : ''}> ${escaped(text)}</label></p>`

/** The page where a person decides what an app may do. */
export const consentPage = (
  { handle, person, offers, clientName, clientDomain, redirectHost, redirectIsLoopback }: Consent,
  headers: Headers,
): Response =>
  page(
    200,
    `Connect ${clientName}?`,
    `<p>You are signed in as ${escaped(person)}.</p>
<p>${clientDomain ? `This app is vouched for by <b>${escaped(clientDomain)}</b>.` : 'This app registered itself: its name is not verified.'}
Access goes to <b>${escaped(redirectHost)}</b>${redirectIsLoopback ? ', an app on this computer: go on only if you just started this' : ''}.</p>
<form method="post"><input type="hidden" name="handle" value="${escaped(handle)}">
<fieldset><legend>Endpoints</legend>${offers.map(({ name, title }, i) => tick('endpoint', name, `${name}: ${title}`, i === 0)).join('')}</fieldset>
<fieldset><legend>Rights</legend>${tick('scope', 'db:read', 'Read the databases', true)}</fieldset>
<p><button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></p>
</form>`,
    headers,
  )
