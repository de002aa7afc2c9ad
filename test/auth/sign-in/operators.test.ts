import { expect, test } from 'vitest'
import { faultOfOperators, isOperatorName } from '../../../src/auth/sign-in/operators.ts'

const ada = { id: 'x', name: 'ada@example.com', groups: ['Admins'] }

test.each(['ada@example.com', 'bob@example.com, ADA@example.com', '*@example.com', 'group:admins'])(
  'a person is made an operator by %s',
  (OPERATORS) => {
    expect(isOperatorName(ada, { OPERATORS })).toBe(true)
    expect(faultOfOperators(OPERATORS)).toBeUndefined()
  },
)

test.each(['*', 'ada@example.com, *', '*@*', '*@', 'a*', 'Group:admins', 'group:group:admins'])(
  'nobody is made an operator by %s, and a fault is reported',
  (OPERATORS) => {
    expect(isOperatorName(ada, { OPERATORS })).toBe(false)
    expect(isOperatorName({ ...ada, name: OPERATORS }, { OPERATORS })).toBe(false)
    expect(faultOfOperators(OPERATORS)).toMatch(/^OPERATORS has "/)
  },
)

test('an invalid entry does not disable the others', () => {
  expect(isOperatorName(ada, { OPERATORS: 'a*, ada@example.com' })).toBe(true)
})

test('without OPERATORS, nobody is an operator, and no fault is reported', () => {
  expect(isOperatorName(ada, {})).toBe(false)
  expect(faultOfOperators()).toBeUndefined()
})

test.each(['operator', 'Operator', ' operator', 'ｏｐｅｒａｔｏｒ'])(
  'a person called %s is not mistaken for the holder of the key',
  (name) => {
    expect(isOperatorName({ ...ada, name }, { OPERATORS: `group:admins, ${name}` })).toBe(false)
  },
)
