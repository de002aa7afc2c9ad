/**
 * The parts of this room that only the command `npx tidegate` uses.
 *
 * @module
 */

export { aboutNow } from './logged.ts'
export { ModuleFault, openOwnWorker, type WorkerModule } from './own-worker.ts'
