import { afterAll, beforeAll, describe } from 'vitest'
import { authorization } from './requirements/authorization.ts'
import { authorizationServer } from './requirements/authorization-server.ts'
import { documents } from './requirements/documents.ts'
import { type Host, startHost } from './requirements/host.ts'
import { protectedResource } from './requirements/protected-resource.ts'
import { registration } from './requirements/registration.ts'
import { tokens } from './requirements/tokens.ts'

// One Worker serves all tests. requirements/README.md says which requirement each test proves.
let host: Host
beforeAll(async () => {
  host = await startHost()
})
afterAll(() => host?.stop())

const given = () => host

describe('an endpoint', () => protectedResource(given))
describe('the authorization server’s metadata', () => authorizationServer(given))
describe('the registration endpoint', () => registration(given))
describe('the authorization endpoint', () => authorization(given))
describe('the token endpoint', () => tokens(given))
describe('client metadata documents', () => documents(given))
