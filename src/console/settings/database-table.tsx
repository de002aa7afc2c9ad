import type { FC } from 'hono/jsx'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { ButtonLink } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { Table } from '../parts/table.tsx'
import { pathOf } from './settings-page.tsx'

/** Table of an endpoint's databases. There are at most fifty. */
export const DatabaseTable = ({ endpoint }: { readonly endpoint: ShownEndpoint }) => (
  <section class="stack" id="databases">
    <div class="row">
      <h2>Databases</h2>
      {endpoint.from === 'registry' && (
        <ButtonLink kind="push" href={`${pathOf(endpoint)}/databases/new`} text="Add a database" />
      )}
    </div>
    <div class="panel flush">
      <Table
        caption="Databases in this endpoint"
        class="fold"
        rows={Object.entries(endpoint.databases)}
        columns={[
          {
            head: 'Name',
            isName: true,
            class: 'mono',
            cell: ([name]) =>
              endpoint.from === 'registry' ? (
                <a href={`${pathOf(endpoint)}/databases/${name}`}>{name}</a>
              ) : (
                name
              ),
          },
          {
            head: 'Location',
            class: 'whole',
            cell: ([name]) => <Where endpoint={endpoint} name={name} />,
          },
          { head: 'Purpose', class: 'whole', dir: 'auto', cell: ([, it]) => it.purpose ?? '' },
        ]}
      />
    </div>
  </section>
)

/** Location of a database, without its password. */
export const Where: FC<{
  readonly endpoint: ShownEndpoint
  readonly name: string
}> = ({ endpoint, name }) => {
  const credential = endpoint.credentials?.[name]
  return credential ? (
    <>
      {credential.scheme} at <bdi>{credential.host || 'no host'}</bdi>, set{' '}
      <Moment at={credential.setAt} />
    </>
  ) : (
    <code>{endpoint.databases[name]?.url}</code>
  )
}
