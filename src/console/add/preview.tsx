import type { FC } from 'hono/jsx'
import { Fact } from '../parts/fact.tsx'
import { Note } from '../parts/note.tsx'
import { grouped } from '../parts/texts.ts'
import { type Answers, ask, type ConsoleVisit } from '../visit.ts'

/** Loads the preview for a group or for any key, or the reason there is none. */
export async function previewOf(
  visit: ConsoleVisit,
  endpoint: string,
  asked: { readonly group?: string | undefined; readonly database?: string | undefined },
): Promise<{ readonly seen?: Answers['Preview']; readonly problem?: string | undefined }> {
  const path = `/endpoints/${endpoint}/preview`
  const found = await ask<Answers['Preview']>(visit, 'POST', path, asked)
  if (!found.ok) return { problem: found.refused.message }
  return { seen: found.body, problem: found.body.problem }
}

/** Preview of the model's view, with its cost in tokens. */
export const PreviewShown = ({ seen, problem }: Awaited<ReturnType<typeof previewOf>>) => (
  <>
    <h3>What the model will see</h3>
    {problem !== undefined && <Note kind="low">{problem}</Note>}
    {seen && <Seen preview={seen} />}
  </>
)

const Seen: FC<{ readonly preview: Answers['Preview'] }> = ({
  preview: { instructions, tools, tables, tokens, notes },
}) => (
  <>
    {tables?.tables.length === 0 && <p class="panel">No tables.</p>}
    {tables && tables.tables.length > 0 && (
      <dl class="panel facts sql">
        {tables.tables.map(({ name, columns }) => (
          <Fact name={name}>
            {typeof columns === 'number' ? `${columns} columns` : columns.join(', ')}
          </Fact>
        ))}
      </dl>
    )}
    {tables && tables.total > tables.tables.length && (
      <p class="small dim">
        This is the model’s first page: {tables.tables.length} of {grouped(tables.total)} tables.
      </p>
    )}
    <p class="small dim">
      About {grouped(tokens.total)} tokens: {grouped(tokens.tables)} for this list,{' '}
      {grouped(tokens.tools)} for the tools and {grouped(tokens.instructions)} for the instructions,
      at four characters per token. Anything else stays hidden from the model: in lists, errors,
      plans and searches.
    </p>
    <details class="small">
      <summary>{tools.length} tools and the instructions</summary>
      <dl class="facts">
        {tools.map(({ name, description }) => (
          <>
            <dt>
              <code>{name}</code>
            </dt>
            <dd dir="auto">{description}</dd>
          </>
        ))}
        <dt>Instructions</dt>
        <dd dir="auto">{instructions}</dd>
      </dl>
    </details>
    {notes.length > 0 && (
      <div class="note">
        {notes.slice(0, MAX_NOTES).map((it) => (
          <p dir="auto">{it}</p>
        ))}
        {notes.length > MAX_NOTES && <p>And {notes.length - MAX_NOTES} more like these.</p>}
      </div>
    )}
  </>
)

/** Maximum number of notes to show. Each unknown name in the rules has a note. */
const MAX_NOTES = 8
