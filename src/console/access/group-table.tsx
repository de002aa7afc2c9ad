import type { FC } from 'hono/jsx'
import { counted } from '../../ground/index.ts'
import { Table, type TableHeading } from '../parts/table.tsx'
import { GROUPS, rulesInWords, type ShownGroup, titleOf } from '../rules/group.ts'

/** Table of groups: all groups, or only those with an endpoint, and their access to it. */
export const GroupTable: FC<{
  readonly groups: readonly ShownGroup[]
  readonly endpoint?: string
}> = ({ groups, endpoint }) =>
  endpoint === undefined ? (
    <Table
      caption="Groups"
      class="fold three"
      rows={groups}
      columns={[
        NAME,
        { head: 'People', class: 'n', label: 'people', cell: ({ people }) => people.length },
        { head: 'Keys', class: 'n', label: 'keys', cell: ({ keys }) => keys.length },
        {
          head: 'Endpoints',
          class: 'n',
          label: 'endpoints',
          cell: ({ endpoints }) => Object.keys(endpoints).length,
        },
      ]}
    />
  ) : (
    <Table
      caption="Groups that have this endpoint"
      class="fold"
      rows={groups}
      columns={[
        NAME,
        { head: 'Members', class: 'whole', cell: membersOf },
        {
          head: 'Access',
          class: 'whole',
          cell: (it) => (
            <a href={`${GROUPS}/${it.name}/endpoints/${endpoint}`} class="sql">
              {rulesInWords(it.endpoints[endpoint] ?? {})}
            </a>
          ),
        },
      ]}
    />
  )

/** Number of members in a group: `2 people, 1 key`. */
export const membersOf = ({ people, keys }: ShownGroup): string =>
  `${counted(people.length, 'person', 'people')}, ${counted(keys.length, 'key')}`

const NAME: TableHeading<ShownGroup> = {
  head: 'Group',
  isName: true,
  class: 'whole',
  cell: (it) => (
    <>
      <a href={`${GROUPS}/${it.name}`} dir="auto">
        {titleOf(it)}
      </a>
      {it.title && <span class="under mono">{it.name}</span>}
    </>
  ),
}
