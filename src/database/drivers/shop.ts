/** The demo database, in a module beside the Worker: who has a database of their own never reads it. */
export const shop = () => import('./shop.mjs')
