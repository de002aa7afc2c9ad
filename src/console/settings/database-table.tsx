import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Moment } from '../parts/moment.tsx'

/** Where the settings of an endpoint are. */
export const pathOf = ({ name }: ShownEndpoint): string => `/console/endpoints/${name}/settings`

/** Databases of one page. An endpoint has fifty at most. */
export const DatabaseTable = ({ endpoint }: { readonly endpoint: ShownEndpoint }) => (
  <section class="stack" id="databases">
    <div class="row">
      <h2>Databases</h2>
      {endpoint.from === 'registry' && (
        <a class="button push" href={`${pathOf(endpoint)}/databases/new`}>
          Add a database
        </a>
      )}
    </div>
    <div class="panel flush">
      <table role="table" class="fold">
        <caption class="hidden">Databases of this endpoint</caption>
        <thead role="rowgroup">
          <tr role="row">
            {['Name', 'Where it is', 'Purpose'].map((it) => (
              <th role="columnheader" scope="col">
                {it}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {Object.keys(endpoint.databases).map((name) => (
            <tr role="row">
              <th role="rowheader" scope="row" class="mono">
                {endpoint.from === 'registry' ? (
                  <a href={`${pathOf(endpoint)}/databases/${name}`}>{name}</a>
                ) : (
                  name
                )}
              </th>
              <td role="cell" class="whole">
                <Where endpoint={endpoint} name={name} />
              </td>
              <td role="cell" class="whole" dir="auto">
                {endpoint.databases[name].purpose ?? ''}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
)

/** What is known of where a database is, without its password. */
export const Where = ({
  endpoint,
  name,
}: {
  readonly endpoint: ShownEndpoint
  readonly name: string
}) => {
  const credential = endpoint.credentials?.[name]
  return credential ? (
    <>
      {credential.scheme} at <bdi>{credential.host || 'no host'}</bdi>, since{' '}
      <Moment at={credential.setAt} />
    </>
  ) : (
    <code>{endpoint.databases[name].url}</code>
  )
}
