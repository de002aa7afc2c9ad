/** The module that scripts/vendor.mjs makes of `../roles/`. */
export { looks, reported } from '../roles/index.ts'
