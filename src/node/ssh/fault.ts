import { DatabaseError } from '../../database/index.ts'

/** The error for what the operator has to set right before there can be a tunnel. */
export const wrong = (message: string, hint?: string) =>
  new DatabaseError('config', message, { hint })

/** The error for a way that does not lead there at the moment. */
export const lost = (message: string, hint?: string) =>
  new DatabaseError('network', message, { hint })
