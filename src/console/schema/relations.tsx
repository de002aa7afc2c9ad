import type { FC } from 'hono/jsx'
import { cut, grouped } from '../parts/texts.ts'
import { Picture } from './picture.tsx'
import { NAME_CHARS, type Relation, type ShownTable } from './shown.ts'

/** Link to a table, if its address fits on the page. */
export type HrefTo = (table: string) => string | undefined

/** Maximum number of relationships in the list. */
const MAX_RELATIONS = 20

interface RelationsProps {
  readonly table: ShownTable
  readonly hrefTo: HrefTo
}

/** A table's relationships, as a drawing and as a list. */
export const Relationships: FC<RelationsProps> = ({ table, hrefTo }) => {
  const { foreignKeys, referencedBy, relations } = table
  // Lists a table that references itself only once.
  const others = referencedBy.filter((it) => it.table !== table.name)
  const shown = [
    ...foreignKeys.map((it) => ({ relation: it, isOut: true })),
    ...others.map((it) => ({ relation: it, isOut: false })),
  ].slice(0, MAX_RELATIONS)
  const repeated = referencedBy.length - others.length
  const left = relations - repeated - shown.length
  const drawn = table.neighbours.length
  const near = new Set([...foreignKeys, ...others].map((it) => it.table))
  near.delete(table.name)
  return (
    <figure class="stack relations">
      <div class="panel flush">
        <section class="scroll" aria-label="Diagram of the relationships" tabindex={0}>
          <Picture table={table} hrefTo={hrefTo} />
        </section>
      </div>
      <figcaption class="small">
        <ul class="near">
          {shown.map((it) => (
            <li>
              <RelationShown table={table} hrefTo={hrefTo} {...it} />
            </li>
          ))}
          {left > 0 && <li class="dim">{grouped(left)} more</li>}
          {drawn < near.size && (
            <li class="dim">
              The diagram shows {drawn} of {grouped(near.size)}.
            </li>
          )}
        </ul>
      </figcaption>
    </figure>
  )
}

const RelationShown: FC<
  RelationsProps & { readonly relation: Relation; readonly isOut: boolean }
> = ({ table, hrefTo, relation: { columns, table: other, tableColumns }, isOut }) => {
  const here = <code dir="auto">{listed(columns)}</code>
  const there = <code dir="auto">{listed(tableColumns)}</code>
  if (other === table.name) {
    return (
      <>
        {here} references {there} in the same table
      </>
    )
  }
  const link = <TableLink href={hrefTo(other)} text={cut(other, NAME_CHARS)} />
  return isOut ? (
    <>
      {here} references {link}
    </>
  ) : (
    <>
      {link} references it through {there}
    </>
  )
}

/** Name of a table with a link to it. */
export const TableLink: FC<{ readonly href: string | undefined; readonly text: string }> = ({
  href,
  text,
}) => {
  const name = <bdi>{text}</bdi>
  return href === undefined ? name : <a href={href}>{name}</a>
}

const listed = (names: readonly string[]) => cut(names.slice(0, 5).join(', '), 60)
