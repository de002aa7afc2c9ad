import type { FC } from 'hono/jsx'
import { counted } from '../../ground/index.ts'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { enginesOf } from '../parts/engine.ts'
import { Fact } from '../parts/fact.tsx'
import type { ConsoleVisit } from '../visit.ts'
import type { ReadNote } from './read-note.ts'

/** Facts about the connection string: as parsed, or else as stored. They never include the password. */
export const Facts: FC<{
  readonly visit: ConsoleVisit
  readonly endpoint: ShownEndpoint
  readonly note: ReadNote | undefined
}> = ({ visit, endpoint, note }) => (
  <>
    <dl class="facts">
      <Fact name="URL">
        <code>/mcp/{endpoint.name}</code>
      </Fact>
      {note ? (
        <AsRead {...note} />
      ) : (
        enginesOf(endpoint, visit).map(([, { engine, where }]) => (
          <Fact name={engine}>
            <code>{where}</code>
          </Fact>
        ))
      )}
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

const AsRead: FC<ReadNote> = ({ engine, service, host, port, database, user, ...rest }) => (
  <>
    <Fact name="Engine">
      {engine}
      {service && `, at ${service}`}
    </Fact>
    {host && (
      <Fact name="Host">
        <code>{host}</code>
        {port && `, port ${port}`}
      </Fact>
    )}
    {database && (
      <Fact name="Database">
        <code>{database}</code>
      </Fact>
    )}
    {(user || rest.secretLength) && (
      <Fact name="Login">
        {user && <code>{user}</code>}
        {user && ', '}
        {rest.secretLength
          ? `password of ${counted(rest.secretLength, 'character')}`
          : 'no password'}
      </Fact>
    )}
    <Fact name="Encryption">
      {Object.hasOwn(ENCRYPTION, rest.encryption) ? ENCRYPTION[rest.encryption] : rest.encryption}
    </Fact>
  </>
)

const ENCRYPTION: Readonly<Record<string, string>> = {
  required: 'required',
  offered: 'if the server supports it',
  none: 'none',
  within: 'not needed: it is a binding',
}
