import type { FC } from 'hono/jsx'
import { counted } from '../../ground/index.ts'
import { Copy } from '../parts/copy.tsx'
import { fit } from '../parts/page-size.ts'
import { State } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { grouped } from '../parts/texts.ts'
import { AnswerTable, tabular } from './answer-table.tsx'
import type { ToolRun } from './run.ts'

/** Byte budget for an answer as text, and the same again for JSON. */
const MAX_BYTES = 12_000

/** A tool's answer: as a table, as text for the model, and as JSON. */
export const AnswerSection = ({ ran }: { readonly ran: ToolRun }) => {
  const { tool, structure, isError, milliseconds, tokens, bytes, text, json } = ran
  const table = structure && !isError ? tabular(structure) : undefined
  const isCut = structure?.truncated === true
  return (
    <section class="stack" aria-labelledby="answer">
      <div class="row base">
        <h2 id="answer">Answer</h2>
        {isError ? (
          <State kind="bad" word="Failed" />
        ) : (
          <State
            kind={isCut ? 'low' : 'ok'}
            word={table ? counted(table.rows.length, 'row') : 'Answered'}
          />
        )}
        <span class="small dim">
          <code>{tool}</code> · {grouped(milliseconds)} ms · about {grouped(tokens)} tokens ·{' '}
          {grouped(bytes)} bytes{isError ? '' : isCut ? ' · truncated' : ' · complete'}
        </span>
      </div>
      {isError ? (
        <>
          <div class="note bad">
            <p>The model reads:</p>
            <pre dir="auto">{fit(text, MAX_BYTES).shown}</pre>
          </div>
          <details class="small">
            <summary>JSON</summary>
            <Exact id="answer-json" what="the JSON" text={json} />
          </details>
        </>
      ) : (
        <Tabs
          legend="Format of the answer"
          name="answer-as"
          tabs={[
            ...(table ? [{ label: 'Table', children: <AnswerTable {...table} /> }] : []),
            {
              label: 'Text, as the model reads it',
              children: <Exact id="answer-text" what="the text" text={text} />,
            },
            { label: 'JSON', children: <Exact id="answer-json" what="the JSON" text={json} /> },
          ]}
        />
      )}
    </section>
  )
}

const Exact: FC<{
  readonly id: string
  readonly what: string
  readonly text: string
}> = ({ id, what, text }) => {
  const { shown, left } = fit(text, MAX_BYTES)
  return (
    <>
      <Copy id={id} what={what}>
        {shown}
      </Copy>
      {left > 0 && (
        <p class="small dim">
          {grouped(left)} more characters are not shown on this page. The model gets all of them.
        </p>
      )}
    </>
  )
}
