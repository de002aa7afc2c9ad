// The globals of Node that the database libraries use. A Worker has them only at the price of reading
// them before its first answer.
export { Buffer } from 'node:buffer'
export { default as process } from 'node:process'
export { setImmediate } from 'node:timers'
