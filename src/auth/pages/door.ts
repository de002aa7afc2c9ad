export { errorPage } from './error.ts'
export { notSetPage } from './not-set.ts'
