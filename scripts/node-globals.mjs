// Node's globals that the database libraries use. As a Worker's globals, they would have to be loaded
// before its first response.
export { Buffer } from 'node:buffer'
export { default as process } from 'node:process'
export { setImmediate } from 'node:timers'
