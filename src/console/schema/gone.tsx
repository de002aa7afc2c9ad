import type { FC } from 'hono/jsx'
import { Form, Submit } from '../parts/form.tsx'
import type { ConsoleVisit } from '../visit.ts'
import { type SchemaPlace, schemaPath } from './place.ts'

/** Button that removes an entry in the glossary, or one of its columns, that the database does not have. */
export const RemoveEntry: FC<{
  readonly visit: ConsoleVisit
  readonly place: SchemaPlace
  readonly entry: string
  readonly column?: string
}> = ({ visit, place, entry, column }) => (
  <Form visit={visit} action={schemaPath(place, '/gone')}>
    <input type="hidden" name="entry" value={entry} />
    {column !== undefined && <input type="hidden" name="column" value={column} />}
    <Submit kind="little" text="Remove" />
  </Form>
)
