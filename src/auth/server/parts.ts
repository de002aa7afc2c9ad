import type { CredentialKeys } from '../../registry/index.ts'
import type { FindOffers } from '../offers.ts'
import type { SignInEnv } from '../settings.ts'
import type { GroupsCount } from '../sign-in/group-list.ts'
import type { Events } from './events.ts'
import type { BrowserSessions } from './sessions.ts'
import type { Store } from './store.ts'
import type { Tries } from './tries.ts'
import type { Turns } from './turns.ts'

/** The parts that the pages and endpoints of the authorization server share. */
export interface ServerParts {
  readonly env: SignInEnv
  readonly store: Store
  readonly keys: CredentialKeys
  readonly events: Events
  readonly tries: Tries
  readonly turns: Turns
  readonly sessions: BrowserSessions
  /** Sessions that began with TIDEGATE_KEY. They end together with the others. */
  readonly operatorSessions: BrowserSessions
  readonly offers: FindOffers
  readonly groupsCount: GroupsCount
}
