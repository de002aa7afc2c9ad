import type { FC } from 'hono/jsx'
import type { ApiKey } from '../parts/key.tsx'
import { Moment } from '../parts/moment.tsx'
import { Pages } from '../parts/pages.tsx'
import { State } from '../parts/state.tsx'
import { hidden, Table } from '../parts/table.tsx'
import type { Answers } from '../visit.ts'
import { namesOfEndpoints } from './endpoint-choice.tsx'

/** A page of keys, with links to the other pages. */
export const KeyPanel: FC<{
  readonly found: Answers['Keys'] | undefined
  readonly path: string
  readonly query: Readonly<Record<string, string | undefined>>
  readonly isSought: boolean
}> = ({ found, path, query, isSought }) => (
  <div class="panel flush">
    {found?.keys.length ? (
      <KeyTable keys={found.keys} />
    ) : (
      <p class="in">
        {isSought ? 'No keys match.' : 'There are no keys. The admin key opens everything.'}
      </p>
    )}
    <Pages path={path} query={query} of={found} what="keys" />
  </div>
)

const KeyTable: FC<{ readonly keys: readonly ApiKey[] }> = ({ keys }) => (
  <Table
    caption="Keys"
    class="fold"
    rows={keys}
    columns={[
      {
        head: 'Label',
        isName: true,
        class: 'whole',
        cell: ({ id, label, person }) => (
          <>
            <a href={`/console/access/keys/${id}`} dir="auto">
              {label}
            </a>
            {person && (
              <span class="under" dir="auto">
                {person}
              </span>
            )}
          </>
        ),
      },
      { head: 'Opens', class: 'whole', cell: ({ endpoints }) => namesOfEndpoints(endpoints) },
      { head: 'Last used', label: 'used', cell: ({ usedAt }) => <Moment at={usedAt} /> },
      { head: 'Expires', class: 'right', cell: expiryOf },
      {
        head: hidden('Change'),
        class: 'whole n',
        cell: ({ id, label }) => (
          <a href={`/console/access/keys/${id}/revoke`} aria-label={`Revoke ${label}`}>
            Revoke
          </a>
        ),
      },
    ]}
  />
)

const expiryOf = ({ expiresAt }: ApiKey) =>
  expiresAt !== undefined && Date.parse(expiresAt) <= Date.now() ? (
    <State kind="off" word="Expired" />
  ) : (
    <Moment at={expiresAt} />
  )
