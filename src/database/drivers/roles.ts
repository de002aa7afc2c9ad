/**
 * How roles are looked at, in a module beside the Worker: who never asks pays nothing for it. Only
 * from this folder does wrangler find such modules.
 */
export const roles = () => import('./roles.mjs')
