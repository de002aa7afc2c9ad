export { isOperator, type Shown, shownBy } from './credential.ts'
export { callerWith, opens, WRONG_KEY } from './key.ts'
export { pathOf, readSecretUrl, withoutSecretUrl } from './secret-url.ts'
