import { Copy } from '../parts/copy.tsx'
import type { Draft, Refused } from '../parts/draft.ts'
import { Area, Field } from '../parts/field.tsx'
import { HostTabs } from '../parts/tabs.tsx'
import { snippetsFor } from '../snippets.ts'
import type { Visit } from '../visit.ts'
import { AccessPage } from './area.tsx'
import {
  EndpointChoice,
  endpointsIn,
  type KnownEndpoints,
  namesOfEndpoints,
} from './endpoint-choice.tsx'

/** Secret URLs that are shown of one key. */
const MAX_URLS = 20

/** What is asked of a new key. */
export const NewKeyFields = ({
  draft,
  endpoints,
  chosen,
}: {
  readonly draft: Draft
  readonly endpoints: KnownEndpoints
  readonly chosen?: string | undefined
}) => (
  <>
    <Field
      draft={draft}
      name="label"
      label="Label"
      maxlength={80}
      required
      hint="What you call it, such as: Ada, laptop."
    />
    <Field
      draft={draft}
      name="person"
      label="Person"
      maxlength={200}
      hint="For whom it is, such as ada@example.com: databases, records and groups see this name. Without it, they see the key."
    />
    <Field
      draft={draft}
      name="expiresAt"
      label="Works until the end of"
      type="date"
      hint="Without a day, until it is revoked. Days are those of UTC."
    />
    <EndpointChoice draft={draft} endpoints={endpoints} stored={chosen ? [chosen] : []} />
    <details open={draft.problemOf('claims') !== undefined}>
      <summary>Claims, for row-level security and for parameters of tools</summary>
      <Area
        draft={draft}
        name="claims"
        label="Claims, as JSON"
        hint='Texts, numbers and booleans by their names: {"team": "north"}'
        mono
      />
    </details>
  </>
)

/** The key that a form asks for. */
export function newKeyIn(fields: URLSearchParams): { key: object } | { refused: Refused } {
  const text = (name: string) => fields.get(name)?.trim() ?? ''
  const endpoints = endpointsIn(fields)
  if (endpoints.length === 0) {
    return { refused: { field: 'endpoints', message: 'Choose the endpoints that the key opens.' } }
  }
  let claims: unknown
  try {
    claims = text('claims') ? JSON.parse(text('claims')) : undefined
  } catch {
    return {
      refused: {
        field: 'claims',
        message: 'The claims are not JSON. Write them as {"team": "north"}.',
      },
    }
  }
  const until = text('expiresAt')
  return {
    key: {
      label: text('label'),
      endpoints,
      ...(text('person') && { person: text('person') }),
      ...(until && { expiresAt: `${until}T23:59:59Z` }),
      ...(claims !== undefined && { claims }),
    },
  }
}

interface Made {
  readonly id: string
  readonly label: string
  readonly key: string
  readonly endpoints: readonly string[]
  readonly secretUrls: Readonly<Record<string, string>>
}

/** The page that shows a key, this once, and how each app gets it. */
export const MadeKey = ({ visit, made }: { readonly visit: Visit; readonly made: Made }) => {
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
      crumbs={
        <>
          <a href="/console/access">Keys</a> / {label}
        </>
      }
      slim
    >
      <Copy id="key" what="the key" big>
        {key}
      </Copy>
      <section class="stack">
        <h2>Add it to an app</h2>
        {endpoints.length > 1 && (
          <p>
            This is for <code>{first}</code>. The same key opens the others at their URLs.
          </p>
        )}
        <HostTabs
          snippets={snippetsFor({ url, name, access: 'key', key, secretUrl: secretUrls[first] })}
        />
      </section>
      <section class="stack">
        <h2>Secret URLs</h2>
        <p>For apps that send no header. Such a URL holds the key: treat it like a password.</p>
        {urls.slice(0, MAX_URLS).map(([name, it], i) => (
          <Copy
            id={`secret-url-${i}`}
            what={`the secret URL of ${name === '*' ? 'all endpoints' : name}`}
          >
            {it}
          </Copy>
        ))}
        {urls.length > MAX_URLS && (
          <p class="dim">{urls.length - MAX_URLS} more are made in the same way.</p>
        )}
      </section>
      <p>
        <a class="button" href="/console/access">
          All keys
        </a>
      </p>
    </AccessPage>
  )
}
