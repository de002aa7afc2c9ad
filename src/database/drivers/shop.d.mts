/** The module that scripts/vendor.mjs makes of the demo database. */
export { Shop } from '../demo/shop.ts'
