import { version } from '../../ground/index.ts'
import { Copy, CopyButton } from '../parts/copy.tsx'
import { Gates } from '../parts/gates.tsx'
import { Layout } from '../parts/layout.tsx'
import { Note } from '../parts/note.tsx'
import { State } from '../parts/state.tsx'
import { Table } from '../parts/table.tsx'
import { HostTabs } from '../parts/tabs.tsx'
import { type EndpointLink, snippetsFor } from '../snippets.ts'

/** Content of the public page. It reveals no secret and no table name. */
export interface PublicPlace {
  readonly address: EndpointLink
  /** Title of the endpoint, if it is public. */
  readonly title: string | undefined
  /** Other endpoints that are open to everybody. */
  readonly others: readonly { readonly url: string; readonly title: string }[]
  /** Reason nothing is served. */
  readonly problem: string | undefined
  /** True if KEY in the URL stands for a key. */
  readonly isSecretUrl: boolean
  /** Missing settings: `all` that protect a database, or `some`. */
  readonly missing: 'all' | 'some' | undefined
}

const access = {
  none: 'It is open to everybody.',
  'sign-in': 'It asks you to sign in.',
  key: 'It needs a key. Ask the operator for one.',
} as const

/** `/`, and `/mcp` in a browser: describes Tidegate and how to connect an app. */
export const PublicPage = ({
  address,
  title,
  others,
  problem,
  isSecretUrl,
  missing,
}: PublicPlace) => (
  <Layout title="One URL to ask your database">
    <div class="hero">
      <h1>One URL that lets an AI ask your database questions, and never write to it.</h1>
      <Copy id="url" what="the URL" big>
        {address.url}
      </Copy>
      <p class="row small">
        {problem ? (
          <State kind="bad" word="Not set up yet" />
        ) : (
          <State kind="ok" word="Answering" />
        )}
        <span class="dim">
          This is an MCP endpoint{title && `: ${title}`}. Paste its URL into your app as a
          connector.{' '}
          {isSecretUrl
            ? 'KEY stands for the key in the URL that you opened. Keep it secret.'
            : access[address.access]}
        </span>
      </p>
      {problem && (
        <div class="note bad">
          <p>{problem}</p>
          {missing && (
            <p>
              If this deployment is yours, <a href="/setup">see what is missing</a>.
            </p>
          )}
        </div>
      )}
      {missing === 'all' && !problem && (
        <Note>
          This deployment has no admin key yet, so it serves only the demo. If it is yours,{' '}
          <a href="/setup">set it up</a>.
        </Note>
      )}
    </div>
    <section class="stack" aria-labelledby="connect">
      <h2 id="connect">Connect your app</h2>
      <HostTabs snippets={snippetsFor(address)} />
    </section>
    <section class="stack" aria-labelledby="ask">
      <h2 id="ask">Then ask</h2>
      <ul>
        {QUESTIONS.map((question, i) => (
          <li class="question">
            <q id={`question-${i}`}>{question}</q>
            <CopyButton id={`question-${i}`} label={`Copy question ${i + 1}`} />
          </li>
        ))}
      </ul>
    </section>
    <section class="stack far" aria-labelledby="sure">
      <div class="stack">
        <h2 id="sure">How writes are blocked</h2>
        <p>
          Answers flow out. A write has to pass three gates on its way in. Any one of them stops it.
        </p>
      </div>
      <Gates />
    </section>
    <section class="stack" aria-labelledby="tools">
      <h2 id="tools">Tools for the model</h2>
      <Table
        caption="Tools"
        class="bare fold"
        rows={TOOLS}
        columns={[
          { head: 'Tool', isName: true, cell: ({ name }) => <code>{name}</code> },
          { head: 'For', class: 'dim whole', cell: ({ about }) => about },
          {
            head: 'Gives',
            cell: ({ gives }) => (
              <span class={gives === 'rows' ? 'badge tide' : 'badge'}>{gives}</span>
            ),
          },
        ]}
      />
      <p class="small dim">
        All of them are read-only. The operator can remove some and add others.
      </p>
    </section>
    <section class="stack" aria-labelledby="status">
      <h2 id="status">Status</h2>
      <dl class="facts">
        <dt>Server</dt>
        <dd>Tidegate {version}, speaks MCP from 2024-11-05 to 2026-07-28</dd>
        {missing === 'some' && !problem && (
          <>
            <dt>Setup</dt>
            <dd>
              <a href="/setup">See what is missing</a>
            </dd>
          </>
        )}
        {others.map(({ url, title }) => (
          <>
            <dt>
              <code>{new URL(url).pathname}</code>
            </dt>
            <dd>
              {title} <span class="dim">· open to everybody</span>
            </dd>
          </>
        ))}
      </dl>
    </section>
  </Layout>
)

const TOOLS = [
  {
    name: 'list_tables',
    about: 'Finds tables and views by part of a name, a column or a comment',
    gives: 'names',
  },
  {
    name: 'describe_table',
    about: 'Columns, types, keys, indexes and comments of one table',
    gives: 'names',
  },
  { name: 'query_table', about: 'Rows or totals of one table, without SQL', gives: 'rows' },
  { name: 'query', about: 'One SQL statement that only reads', gives: 'rows' },
  {
    name: 'explain_query',
    about: 'The plan of a statement, without running it',
    gives: 'plan',
  },
]

const QUESTIONS = [
  'What is in this database? Show me the tables that matter and how they are related.',
  'How did this month compare with last month, and what explains the difference?',
  'Which records look wrong: missing, duplicated, or far from the rest?',
]
