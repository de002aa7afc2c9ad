import { Copy } from './copy.tsx'

/** A mend, as the API answers with it. */
export interface ShownMend {
  readonly sentence: string
  readonly steps: readonly ShownStep[]
  readonly others?: readonly ShownStep[]
}

interface ShownStep {
  readonly say: string
  readonly command?: string
  /** Words in the command that a person replaces. */
  readonly replace?: readonly string[]
}

/** What mends a fault: a sentence, and the steps with what is to be copied. */
export const Mend = ({
  id,
  mend: { sentence, steps, others = [] },
}: {
  /** What the ids of its texts begin with: unlike any other on the page. */
  readonly id: string
  readonly mend: ShownMend
}) => (
  <div class="note bad">
    <p>{sentence}</p>
    {steps.map((step, i) => (
      <Step id={`${id}-${i + 1}`} step={step} lead={i === 0 && 'Mend:'} />
    ))}
    {others.length > 0 && (
      <details class="small">
        <summary>Other ways</summary>
        {others.map((step, i) => (
          <Step id={`${id}-other-${i + 1}`} step={step} />
        ))}
      </details>
    )}
  </div>
)

const Step = ({
  id,
  step: { say, command, replace = [] },
  lead,
}: {
  readonly id: string
  readonly step: ShownStep
  readonly lead?: string | false
}) => (
  <>
    <p>
      {lead && (
        <>
          <b>{lead}</b>{' '}
        </>
      )}
      {say}
    </p>
    {command !== undefined && (
      <Copy id={id} what="the command">
        {marked(command, replace)}
      </Copy>
    )}
  </>
)

/** A command in pieces, with a mark around each word that a person replaces. */
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
