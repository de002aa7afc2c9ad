/** The module that scripts/vendor.mjs makes of `../roles/`. */
export { looks, reason, reported, unprepared, warning } from '../roles/index.ts'
