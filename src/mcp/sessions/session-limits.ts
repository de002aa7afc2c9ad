import { type StoreBounds, storeLimits } from '../state/stores.ts'
import { limits } from '../wire/limits.ts'
import type { CallLimits } from './calls.ts'
import type { EventBounds } from './event-log.ts'

/** Bounds on one session. */
export interface SessionLimits extends CallLimits {
  /** Idle time after which a session is forgotten. The fact that it ended is forgotten after the same time. */
  readonly idleMs: number
  /** Maximum number of open streams not tied to a request. Another one closes the oldest. */
  readonly streams: number
  readonly subscriptions: number
  readonly kept: EventBounds
  readonly store: StoreBounds
}

const HOUR_MS = 60 * 60_000

export const sessionLimits: SessionLimits = {
  calls: 32,
  callMs: limits.callMs,
  answerMs: HOUR_MS / 4,
  idleMs: 30 * 24 * HOUR_MS,
  streams: 4,
  subscriptions: 200,
  kept: { events: 500, bytes: 1024 * 1024, ageMs: HOUR_MS },
  store: storeLimits,
}
