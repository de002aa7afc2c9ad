import { Copy } from '../parts/copy.tsx'
import { Gates } from '../parts/gates.tsx'
import { Layout, VERSION } from '../parts/layout.tsx'
import { State } from '../parts/state.tsx'
import { HostTabs } from '../parts/tabs.tsx'
import { type Address, snippetsFor } from '../snippets.ts'

/** What the public page is about. It tells no secret, and no name of a table. */
export interface PublicPlace {
  readonly address: Address
  /** What the endpoint is called, where everybody may know. */
  readonly title: string | undefined
  /** Other endpoints that are open to everybody. */
  readonly others: readonly { readonly url: string; readonly title: string }[]
  /** Why nothing is served, if so. */
  readonly problem: string | undefined
  /** Whether KEY in the URL stands for a key. */
  readonly isSecretUrl: boolean
  /** Whether something is not set: `all` that protects a database, or `some` of what there is. */
  readonly missing: 'all' | 'some' | undefined
}

const access = {
  none: 'It is open to everybody.',
  'sign-in': 'It asks you to sign in.',
  key: 'It needs a key, which the operator gives you.',
} as const

/** `/`, and `/mcp` in a browser: what this is, and how to connect an app. */
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
            ? 'KEY stands for the key in the URL that you opened: keep it to yourself.'
            : access[address.access]}
        </span>
      </p>
      {problem && (
        <div class="note bad">
          <p>{problem}</p>
          {missing && (
            <p>
              If this deployment is yours: <a href="/setup">see what is set</a>.
            </p>
          )}
        </div>
      )}
      {missing === 'all' && !problem && (
        <div class="note">
          <p>
            This deployment has no key yet, so it serves nothing but the demo. If it is yours:{' '}
            <a href="/setup">set it up</a>.
          </p>
        </div>
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
            <button
              class="button little"
              type="button"
              data-copy={`question-${i}`}
              aria-label={`Copy question ${i + 1}`}
            >
              Copy
            </button>
          </li>
        ))}
      </ul>
    </section>
    <section class="stack far" aria-labelledby="sure">
      <div class="stack">
        <h2 id="sure">What is guaranteed</h2>
        <p>
          Answers flow out. What would change something meets three gates on its way in; one is
          enough.
        </p>
      </div>
      <Gates />
    </section>
    <section class="stack" aria-labelledby="tools">
      <h2 id="tools">What the model gets</h2>
      <table class="bare fold" role="table">
        <caption class="hidden">Tools</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              Tool
            </th>
            <th role="columnheader" scope="col">
              For
            </th>
            <th role="columnheader" scope="col">
              Gives
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {TOOLS.map(({ name, about, gives }) => (
            <tr role="row">
              <th role="rowheader" scope="row">
                <code>{name}</code>
              </th>
              <td role="cell" class="dim whole">
                {about}
              </td>
              <td role="cell">
                <span class={gives === 'rows' ? 'badge tide' : 'badge'}>{gives}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="small dim">
        All of them only read. The operator may leave some out, and add others.
      </p>
    </section>
    <section class="stack" aria-labelledby="status">
      <h2 id="status">Status</h2>
      <dl class="facts">
        <dt>Server</dt>
        <dd>Tidegate {VERSION}, speaks MCP from 2024-11-05 to 2026-07-28</dd>
        {missing === 'some' && !problem && (
          <>
            <dt>Setup</dt>
            <dd>
              <a href="/setup">What is not set yet</a>
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
    about: 'Tables and views, found by part of a name, a column or a comment',
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
    about: 'How the database would run a statement, which it does not',
    gives: 'plan',
  },
]

const QUESTIONS = [
  'What is in this database? Show me the tables that matter, and how they belong together.',
  'How did this month go compared with last month, and what explains the difference?',
  'Which records look wrong: missing, doubled, or far from the rest?',
]
