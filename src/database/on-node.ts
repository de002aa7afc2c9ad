// Parts that only the `node` room uses. The index omits them, so a Worker does not load them before its first response.
export { notReached } from './transport/connection-errors.ts'
export { Pool, type Poolable } from './transport/pool.ts'
