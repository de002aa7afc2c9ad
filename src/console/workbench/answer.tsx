import { Copy } from '../parts/copy.tsx'
import { State } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { AnswerTable, tabular } from './answer-table.tsx'
import { fit, grouped } from './fit.ts'
import type { Ran } from './run.ts'

/** What an answer may take of a page as text, and again as JSON. */
const MAX_BYTES = 12_000

/** The answer of a tool: as a table, as the model reads it, and as the endpoint sent it. */
export const AnswerSection = ({ ran }: { readonly ran: Ran }) => {
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
            word={table ? rowsOf(table.rows.length) : 'Answered'}
          />
        )}
        <span class="small dim">
          <code>{tool}</code> · {grouped(milliseconds)} ms · about {grouped(tokens)} tokens ·{' '}
          {grouped(bytes)} bytes{isError ? '' : isCut ? ' · cut, as it says' : ' · all of it'}
        </span>
      </div>
      {isError ? (
        <>
          <div class="note bad">
            <p>The model reads this:</p>
            <pre dir="auto">{fit(text, MAX_BYTES).shown}</pre>
          </div>
          <details class="small">
            <summary>JSON</summary>
            <Exact id="answer-json" what="the JSON" text={json} />
          </details>
        </>
      ) : (
        <Tabs
          legend="The answer as"
          name="answer-as"
          tabs={[
            ...(table ? [{ label: 'Table', children: <AnswerTable {...table} /> }] : []),
            {
              label: 'Text, as the model reads it',
              children: <Exact id="answer-text" what="the text" text={text} />,
            },
            { label: 'JSON', children: <Exact id="answer-json" what="the JSON" text={json} /> },
          ].map((it, i) => ({ ...it, isChosen: i === 0 }))}
        />
      )}
    </section>
  )
}

const rowsOf = (count: number) => (count === 1 ? '1 row' : `${grouped(count)} rows`)

const Exact = ({
  id,
  what,
  text,
}: {
  readonly id: string
  readonly what: string
  readonly text: string
}) => {
  const { shown, left } = fit(text, MAX_BYTES)
  return (
    <>
      <Copy id={id} what={what}>
        {shown}
      </Copy>
      {left > 0 && (
        <p class="small dim">
          {grouped(left)} more characters are not shown on this page. The model got them.
        </p>
      )}
    </>
  )
}
