import { ask, type Visit } from '../visit.ts'

/** What a model gets of an endpoint, as the API tells it. */
export interface Preview {
  readonly instructions: string
  readonly tools: readonly {
    readonly name: string
    readonly title?: string
    readonly description: string
    readonly annotations?: { readonly readOnlyHint?: boolean }
  }[]
  readonly tables?: {
    readonly tables: readonly {
      readonly name: string
      readonly columns: number | readonly string[]
    }[]
    readonly total: number
  }
  readonly problem?: string
  readonly notes: readonly string[]
  readonly tokens: Readonly<Record<'instructions' | 'tools' | 'tables' | 'total', number>>
}

/** What a model gets, for a group or for whoever has a key; or why that is not known. */
export async function previewOf(
  visit: Visit,
  endpoint: string,
  asked: { readonly group?: string | undefined; readonly database?: string | undefined },
): Promise<Preview | { readonly problem: string; readonly tools?: undefined }> {
  const { status, body } = await ask(visit, 'POST', `/endpoints/${endpoint}/preview`, asked)
  if (status === 200) return body
  return { problem: body?.error?.message ?? `The API answered ${status}.` }
}

/** What the model will see, and what it costs. */
export const PreviewShown = ({
  preview,
}: {
  readonly preview: Awaited<ReturnType<typeof previewOf>>
}) => (
  <>
    <h3>What the model will see</h3>
    {preview.problem !== undefined && (
      <div class="note low">
        <p dir="auto">{preview.problem}</p>
      </div>
    )}
    {preview.tools && <Seen preview={preview} />}
  </>
)

const Seen = ({
  preview: { instructions, tools, tables, tokens, notes },
}: {
  readonly preview: Preview
}) => (
  <>
    {tables && tables.tables.length === 0 && <p class="panel">No table.</p>}
    {tables && tables.tables.length > 0 && (
      <dl class="panel facts sql">
        {tables.tables.map(({ name, columns }) => (
          <>
            <dt dir="auto">{name}</dt>
            <dd dir="auto">
              {typeof columns === 'number' ? `${columns} columns` : columns.join(', ')}
            </dd>
          </>
        ))}
      </dl>
    )}
    {tables && tables.total > tables.tables.length && (
      <p class="small dim">
        This is the first page, as the model gets it: {tables.tables.length} of{' '}
        {tables.total.toLocaleString('en')} tables.
      </p>
    )}
    <p class="small dim">
      About {tokens.total.toLocaleString('en')} tokens: {tokens.tables.toLocaleString('en')} for
      this list, {tokens.tools.toLocaleString('en')} for the tools and{' '}
      {tokens.instructions.toLocaleString('en')} for the instructions, at four characters each. What
      it does not see does not exist for it: not in lists, errors, plans or searches.
    </p>
    <details class="small">
      <summary>{tools.length} tools, and the instructions</summary>
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
        {notes.length > MAX_NOTES && <p>And {notes.length - MAX_NOTES} more of this kind.</p>}
      </div>
    )}
  </>
)

/** Notes that are shown. Each unknown name of the rules has one. */
const MAX_NOTES = 8
