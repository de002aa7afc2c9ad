import { Moment } from '../parts/moment.tsx'
import { State } from '../parts/state.tsx'
import { namesOfEndpoints } from './endpoint-choice.tsx'

/** A key as the API shows it. */
export interface ShownKey {
  readonly id: string
  readonly label: string
  readonly endpoints: readonly string[]
  readonly person?: string
  readonly claims?: Readonly<Record<string, string | number | boolean>>
  readonly createdAt: string
  readonly changedAt: string
  readonly expiresAt?: string
  readonly usedAt?: string
}

/** Keys, a row each. */
export const KeyTable = ({
  keys,
  isSought,
}: {
  readonly keys: readonly ShownKey[]
  readonly isSought: boolean
}) =>
  keys.length === 0 ? (
    <p class="in">
      {isSought
        ? 'No key is like this.'
        : 'There are no keys. The key of the operator opens everything.'}
    </p>
  ) : (
    <table role="table" class="fold">
      <caption class="hidden">Keys</caption>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">
            Label
          </th>
          <th role="columnheader" scope="col">
            Opens
          </th>
          <th role="columnheader" scope="col">
            Used last
          </th>
          <th role="columnheader" scope="col">
            Works until
          </th>
          <th role="columnheader" scope="col">
            <span class="hidden">Change</span>
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {keys.map((key) => (
          <Row {...key} />
        ))}
      </tbody>
    </table>
  )

const Row = ({ id, label, person, endpoints, usedAt, expiresAt }: ShownKey) => (
  <tr role="row">
    <th role="rowheader" scope="row" class="whole">
      <a href={`/console/access/keys/${id}`} dir="auto">
        {label}
      </a>
      {person && (
        <span class="under" dir="auto">
          {person}
        </span>
      )}
    </th>
    <td role="cell" class="whole">
      {namesOfEndpoints(endpoints)}
    </td>
    <td role="cell" data-label="used">
      {usedAt ? <Moment at={usedAt} /> : 'never'}
    </td>
    <td role="cell" class="right">
      {!expiresAt ? (
        'no end'
      ) : Date.parse(expiresAt) > Date.now() ? (
        <Moment at={expiresAt} />
      ) : (
        <State kind="off" word="Expired" />
      )}
    </td>
    <td role="cell" class="whole n">
      <a href={`/console/access/keys/${id}/revoke`} aria-label={`Revoke ${label}`}>
        Revoke
      </a>
    </td>
  </tr>
)
