import type { FC } from 'hono/jsx'
import { Note } from './note.tsx'

/** Confirms a change. A flag in the address selects one of a few fixed messages. */
export const Done: FC<{
  readonly flag: string | undefined
  readonly messages: Readonly<Record<string, string>>
}> = ({ flag, messages }) =>
  flag !== undefined && Object.hasOwn(messages, flag) ? (
    <Note role="status">{messages[flag]}</Note>
  ) : null
