import type { FC } from 'hono/jsx'
import type { Answers } from '../visit.ts'
import { Copy } from './copy.tsx'

/** A fix from the API. */
export type ShownFix = Omit<Answers['Fix'], 'kind'>

/** A problem in one sentence, and steps with commands to copy. */
export const Fix: FC<{
  /** Prefix for the ids of its commands, unique on the page. */
  readonly id: string
  readonly fix: ShownFix
}> = ({ id, fix: { sentence, steps, others = [] } }) => (
  <div class="note bad">
    <p>{sentence}</p>
    {steps.map((step, i) => (
      <Step id={`${id}-${i + 1}`} step={step} lead={i === 0 && 'Fix:'} />
    ))}
    {others.length > 0 && (
      <details class="small">
        <summary>Other options</summary>
        {others.map((step, i) => (
          <Step id={`${id}-other-${i + 1}`} step={step} />
        ))}
      </details>
    )}
  </div>
)

const Step: FC<{
  readonly id: string
  readonly step: ShownFix['steps'][number]
  readonly lead?: string | false
}> = ({ id, step: { message, command, replace = [] }, lead }) => (
  <>
    <p>
      {lead && (
        <>
          <b>{lead}</b>{' '}
        </>
      )}
      {message}
    </p>
    {command !== undefined && (
      <Copy id={id} what="the command">
        {marked(command, replace)}
      </Copy>
    )}
  </>
)

/** Command with each word that a person replaces highlighted. */
function marked(command: string, replace: readonly string[]) {
  let pieces: readonly (string | { readonly word: string })[] = [command]
  for (const word of replace) {
    pieces = pieces.flatMap((piece) =>
      typeof piece === 'string'
        ? piece.split(word).flatMap((it, i) => (i === 0 ? [it] : [{ word }, it]))
        : [piece],
    )
  }
  return pieces.map((it) => (typeof it === 'string' ? it : <mark>{it.word}</mark>))
}
