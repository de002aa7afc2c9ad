// A replacement for `cloudflare:workers` on a self-hosted machine. Builds of `src/node/` use this module in its
// place.
import { inTime } from '../ground/index.ts'
import { logged } from './logged.ts'

/** The class that objects extend. */
export class DurableObject<Env = unknown> {
  protected readonly ctx: DurableObjectState
  protected readonly env: Env

  constructor(ctx: DurableObjectState, env: Env) {
    this.ctx = ctx
    this.env = env
  }
}

/** The OAuth library checks whether its handlers extend this class. None of our handlers do. */
export class WorkerEntrypoint {}

const background = new Set<Promise<void>>()

/** Lets work continue after the response. */
export function waitUntil(work: Promise<unknown>): void {
  const ended = work.then(() => {}, logged).finally(() => background.delete(ended))
  background.add(ended)
}

/** Resolves when no background work is left, or after this time. */
export async function backgroundEnded(ms: number): Promise<void> {
  const end = performance.now() + ms
  // Work that ends can have started more work.
  while (background.size > 0 && performance.now() < end) {
    await inTime(end - performance.now(), Promise.all(background)).catch(() => {})
  }
}
