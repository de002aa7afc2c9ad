/**
 * What the code of the Worker imports as `cloudflare:workers`, on a machine of one's own: builds of `src/node/`
 * put this module in its place.
 *
 * @module
 */

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

/** The OAuth library asks whether its handlers are of this class. None of ours is. */
export class WorkerEntrypoint {}

const background = new Set<Promise<void>>()

/** Lets work go on after the answer. */
export function waitUntil(work: Promise<unknown>): void {
  const ended = work.then(() => {}, logged).finally(() => background.delete(ended))
  background.add(ended)
}

/** Resolves when nothing works in the background any more, or after this time. */
export async function backgroundEnded(ms: number): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([over, Promise.all(background)])
  clearTimeout(timer)
}
