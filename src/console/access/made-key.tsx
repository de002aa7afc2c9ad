import type { FC } from 'hono/jsx'
import { Copy } from '../parts/copy.tsx'
import { ButtonLink } from '../parts/form.tsx'
import { HostTabs } from '../parts/tabs.tsx'
import { snippetsFor } from '../snippets.ts'
import type { Answers, ConsoleVisit } from '../visit.ts'
import { AccessPage, crumbsFrom } from './area.tsx'
import { namesOfEndpoints } from './endpoint-choice.tsx'

/** Maximum number of secret URLs shown for one key. */
const MAX_URLS = 20

/** Page that shows a new key once, with instructions for each app. */
export const MadeKey: FC<{
  readonly visit: ConsoleVisit
  readonly made: Answers['NewKey']
}> = ({ visit, made }) => {
  const { key, label, endpoints, secretUrls } = made
  const [first = '*'] = endpoints
  const name = first === '*' ? 'tidegate' : first
  const url = `${visit.origin}/mcp${first === '*' ? '' : `/${first}`}`
  const urls = Object.entries(secretUrls)
  return (
    <AccessPage
      visit={visit}
      part="keys"
      title={`Key for ${label}`}
      about={`It opens ${namesOfEndpoints(endpoints)}. Copy it now: it is not shown again.`}
      crumbs={crumbsFrom('keys', label)}
      slim
    >
      <Copy id="key" what="the key" big>
        {key}
      </Copy>
      <section class="stack">
        <h2>Add it to an app</h2>
        {endpoints.length > 1 && (
          <p>
            These instructions are for <code>{first}</code>. The same key opens the other endpoints
            at their URLs.
          </p>
        )}
        <HostTabs
          snippets={snippetsFor({ url, name, access: 'key', key, secretUrl: secretUrls[first] })}
        />
      </section>
      <section class="stack">
        <h2>Secret URLs</h2>
        <p>
          For apps that cannot send a header. A secret URL contains the key: treat it like a
          password.
        </p>
        {urls.slice(0, MAX_URLS).map(([name, it], i) => (
          <Copy
            id={`secret-url-${i}`}
            what={`the secret URL for ${name === '*' ? 'all endpoints' : name}`}
          >
            {it}
          </Copy>
        ))}
        {urls.length > MAX_URLS && (
          <p class="dim">
            The URLs for {urls.length - MAX_URLS} more endpoints follow the same pattern.
          </p>
        )}
      </section>
      <p>
        <ButtonLink href="/console/access" text="All keys" />
      </p>
    </AccessPage>
  )
}
