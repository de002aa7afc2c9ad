import { platformOf } from '../registry/index.ts'

/** What tells where this runs. */
export interface Place {
  /** The machine, where this is no Worker. */
  readonly MACHINE?: Parameters<typeof platformOf>[0]
}

/** Whether this runs in a Worker, whose variables wrangler sets, and not on a machine. */
export const isWorker = ({ MACHINE }: Place): boolean => platformOf(MACHINE) === 'worker'
