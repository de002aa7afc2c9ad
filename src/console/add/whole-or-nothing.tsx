import { Form } from '../parts/form.tsx'
import type { Visit } from '../visit.ts'
import type { Sees } from './group.ts'

/** What stands in place of ticks where all of a database is seen, or nothing of the endpoint yet. */
export const WholeOrNothing = ({
  visit,
  action,
  sees,
}: {
  readonly visit: Visit
  readonly action: string
  readonly sees: Sees | undefined
}) => (
  <Form visit={visit} action={action} class="stack">
    <p>
      {sees === 'all'
        ? 'The group sees the whole database, also tables that come later.'
        : sees === undefined
          ? 'The group does not have this endpoint yet: its people and keys are refused there.'
          : 'The group sees what is ticked.'}
    </p>
    <div class="row">
      {sees !== 'all' && (
        <button class="button little" type="submit" name="do" value="all">
          Show it the whole database
        </button>
      )}
      {(sees === 'all' || sees === undefined) && (
        <button class="button little" type="submit" name="do" value="none">
          Tick what it sees
        </button>
      )}
    </div>
  </Form>
)
