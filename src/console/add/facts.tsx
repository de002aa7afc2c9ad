import type { ShownEndpoint } from '../parts/endpoint.ts'
import { enginesOf } from '../parts/engine.ts'
import type { ReadNote } from './read-note.ts'

/** What is known of what was pasted: as it was read, or else as it is stored. The password is not among it. */
export const Facts = ({
  endpoint,
  note,
}: {
  readonly endpoint: ShownEndpoint
  readonly note: ReadNote | undefined
}) => (
  <>
    <dl class="facts">
      <dt>URL</dt>
      <dd>
        <code>/mcp/{endpoint.name}</code>
      </dd>
      {note ? <AsRead note={note} /> : <AsStored endpoint={endpoint} />}
    </dl>
    {note && note.changes.length + note.hints.length > 0 && (
      <ul class="small dim plain">
        {[...note.changes, ...note.hints].map((it) => (
          <li dir="auto">{it}</li>
        ))}
      </ul>
    )}
  </>
)

const AsRead = ({
  note: { engine, service, host, port, database, user, secretLength, encryption },
}: {
  readonly note: ReadNote
}) => (
  <>
    <dt>Engine</dt>
    <dd>
      {engine}
      {service && `, at ${service}`}
    </dd>
    {host && (
      <>
        <dt>Host</dt>
        <dd dir="auto">
          <code>{host}</code>
          {port && `, port ${port}`}
        </dd>
      </>
    )}
    {database && (
      <>
        <dt>Database</dt>
        <dd dir="auto">
          <code>{database}</code>
        </dd>
      </>
    )}
    {(user || secretLength) && (
      <>
        <dt>Login</dt>
        <dd dir="auto">
          {user && <code>{user}</code>}
          {user && ', '}
          {secretLength
            ? `with a password of ${secretLength} character${secretLength === 1 ? '' : 's'}`
            : 'without a password'}
        </dd>
      </>
    )}
    <dt>Encryption</dt>
    <dd>{Object.hasOwn(ENCRYPTION, encryption) ? ENCRYPTION[encryption] : encryption}</dd>
  </>
)

const ENCRYPTION: Readonly<Record<string, string>> = {
  required: 'required',
  offered: 'if the server offers it',
  none: 'none',
  within: 'not needed: it is a binding',
}

const AsStored = ({ endpoint }: { readonly endpoint: ShownEndpoint }) => (
  <>
    {enginesOf(endpoint).map(([, { engine, where }]) => (
      <>
        <dt>{engine}</dt>
        <dd>
          <code dir="auto">{where}</code>
        </dd>
      </>
    ))}
  </>
)
