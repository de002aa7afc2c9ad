import { expect, test } from 'vitest'
import { faultOfOperators, isOperatorName } from '../../../src/auth/sign-in/operators.ts'

const ada = { id: 'x', name: 'ada@example.com', groups: ['Admins'] }

test.each(['ada@example.com', 'bob@example.com, ADA@example.com', '*@example.com', 'group:admins'])(
  'an operator is named by %s',
  (OPERATORS) => {
    expect(isOperatorName(ada, { OPERATORS })).toBe(true)
    expect(faultOfOperators(OPERATORS)).toBeUndefined()
  },
)

test.each(['*', 'ada@example.com, *', '*@*', '*@', 'a*', 'Group:admins', 'group:group:admins'])(
  'nobody is named by %s, and that is said',
  (OPERATORS) => {
    expect(isOperatorName(ada, { OPERATORS })).toBe(false)
    expect(isOperatorName({ ...ada, name: OPERATORS }, { OPERATORS })).toBe(false)
    expect(faultOfOperators(OPERATORS)).toMatch(/^OPERATORS has "/)
  },
)

test('an entry that names nobody keeps out no other one', () => {
  expect(isOperatorName(ada, { OPERATORS: 'a*, ada@example.com' })).toBe(true)
})

test('without it, nobody is named, and nothing is wrong', () => {
  expect(isOperatorName(ada, {})).toBe(false)
  expect(faultOfOperators()).toBeUndefined()
})

test.each(['operator', 'Operator', ' operator', 'ｏｐｅｒａｔｏｒ'])(
  'nobody called %s is taken for whoever has the key',
  (name) => {
    expect(isOperatorName({ ...ada, name }, { OPERATORS: `group:admins, ${name}` })).toBe(false)
  },
)
