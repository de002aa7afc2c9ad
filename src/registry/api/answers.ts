import type * as z from 'zod/mini'
import type { change, changes } from './changes.ts'
import type { recognised, unrecognised } from './connection-strings.ts'
import type { status } from './credentials.ts'
import type { health, hostTest } from './doctor.ts'
import type { shownEndpoint } from './endpoint-body.ts'
import type { outcome, stageSeen } from './endpoint-test.ts'
import type { fixSchema } from './fix.ts'
import type { shownGroup } from './group-body.ts'
import type { reports } from './groups.ts'
import type { madeKey, shownKey } from './keys.ts'
import type { shownPreview } from './preview.ts'
import type { shownQuestion } from './questions.ts'
import type { record } from './records.ts'
import type { schemaView } from './schema.ts'
import type { settingsValue } from './settings.ts'
import type { event, grant, signInCode } from './sign-ins.ts'
import type { statistic } from './statistics.ts'

/** A page of a list. `next` is the cursor of the next page. */
type ListPage<Name extends string, Entry> = { [It in Name]: Entry[] } & {
  total: number
  next?: string | undefined
}

/** The API's responses, for a TypeScript client. The names are as in the OpenAPI document; lists are plural. */
export interface Answers {
  Change: z.infer<typeof change>
  Changes: z.infer<typeof changes>
  Endpoint: z.infer<typeof shownEndpoint>
  Endpoints: ListPage<'endpoints', Answers['Endpoint']>
  Fix: z.infer<typeof fixSchema>
  Grant: z.infer<typeof grant>
  Grants: ListPage<'grants', Answers['Grant']>
  Group: z.infer<typeof shownGroup>
  GroupReports: z.infer<typeof reports>
  Groups: ListPage<'groups', Answers['Group']>
  Health: z.infer<typeof health>
  HostTest: z.infer<typeof hostTest>
  Key: z.infer<typeof shownKey>
  Keys: ListPage<'keys', Answers['Key']>
  /** Only the response to a new key shows it. */
  NewKey: z.infer<typeof madeKey>
  Outcome: z.infer<typeof outcome>
  Preview: z.infer<typeof shownPreview>
  Recognised: z.infer<typeof recognised>
  Record: z.infer<typeof record>
  Records: { records: Answers['Record'][]; next?: string | undefined; lost: number }
  Schema: z.infer<typeof schemaView>
  Settings: z.infer<typeof settingsValue>
  SignInCode: z.infer<typeof signInCode>
  SignInEvent: z.infer<typeof event>
  Stage: z.infer<typeof stageSeen>
  Statistic: z.infer<typeof statistic>
  Statistics: { statistics: Answers['Statistic'][]; total?: Answers['Statistic'] | undefined }
  Status: z.infer<typeof status>
  Unrecognised: z.infer<typeof unrecognised>
  VerifiedQuestion: z.infer<typeof shownQuestion>
}
