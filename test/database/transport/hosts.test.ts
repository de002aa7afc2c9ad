import { describe, expect, test } from 'vitest'
import { databaseUrl, hasSeveralHosts, hostsOf } from '../../../src/database/transport/hosts.ts'

const read = (text: string) => hostsOf(databaseUrl(text)).map(({ name, port }) => [name, port])
const MARKER = 'hunter2'

describe('the hosts of a URL', () => {
  // As in psql 15.
  test.each([
    ['postgres://u:p@one/db', [['one', undefined]]],
    ['postgres://u:p@one:1/db?sslmode=require', [['one', 1]]],
    ['postgres://u:p@one,two/db', [['one'], ['two']]],
    [
      'postgres://u:p@one:1,two:2/db',
      [
        ['one', 1],
        ['two', 2],
      ],
    ],
    ['postgres://u:p@one,two:2', [['one'], ['two', 2]]],
    ['postgres://u:p@one:1,two?a=b', [['one', 1], ['two']]],
    ['POSTGRESQL://u:p,x:y@[2001:DB8::1]:1,[::1]/db', [['[2001:db8::1]', 1], ['[::1]']]],
    [
      'mysql://u:p@one:1,two:2/db',
      [
        ['one', 1],
        ['two', 2],
      ],
    ],
    ['mariadb://u:a@b,c@one,two/db', [['one'], ['two']]],
    ['postgres:///db?host=one', [['one', undefined]]],
    ['postgres://u:p@/db?host=one,::1&port=1,', [['one', 1], ['[::1]']]],
    [
      'postgres://u:p@nine:9/db?host=one,two&port=1',
      [
        ['one', 1],
        ['two', 1],
      ],
    ],
    ['postgres://u:p@one:1/db?host=two', [['two', 1]]],
    [
      'postgres://u:p@one,two/db?port=1,2',
      [
        ['one', 1],
        ['two', 2],
      ],
    ],
    ['postgres://u:p@one/db?host=a&host=two', [['two', undefined]]],
    [
      ' \npostgres:/\t/u:p@one:1,t\nwo:2/db',
      [
        ['one', 1],
        ['two', 2],
      ],
    ],
    ['clickhouse://u:p@one:1/db?host=two', [['one', 1]]],
    ['hyperdrive:DB', [['', undefined]]],
  ])('are read from %j', (text, hosts) => {
    expect(read(text)).toEqual(hosts.map(([name, port]) => [name, port]))
  })
})

test('the other parts of a URL stay unchanged', () => {
  const url = databaseUrl('postgres://a%40b:p%2Cq@one:1,two/my%20db?options=-c%20a%3Db&host=x,y')
  const { username, password, pathname, searchParams, hostname, port } = url
  expect([username, password, pathname, hostname, port]).toEqual([
    ...['a%40b', 'p%2Cq', '/my%20db', 'x', '1'],
  ])
  expect(searchParams.get('options')).toBe('-c a=b')
  expect(hasSeveralHosts(url)).toBe(true)
  // Parsing it again gives the same URL.
  expect(databaseUrl(url.href).href).toBe(url.href)
  const one = databaseUrl('postgres://u:p@/db?host=one&port=5&a=b')
  expect(one.href).toBe('postgres://u:p@one:5/db?a=b')
})

test.each([
  ['postgres://u:p@one:1,two:2,/db', 'has a host that is not valid'],
  ['postgres://u:p@,one/db', 'has a host that is not valid'],
  ['postgres://u:p@one two,three/db', 'has a host that is not valid'],
  ['postgres://u:p@one:x,two/db', 'has a host that is not valid'],
  ['postgres://u:p@[::1,two/db', 'has a host that is not valid'],
  ['postgres://u:p@one/db?host=a/b', 'has a host that is not valid'],
  ['postgres://u:p@one/db?host=', 'has a host that is not valid'],
  ['postgres://u:p@one/db?host=[::1]:5', 'Write it in the parameter port'],
  ['postgres://u:p@one/db?host=/var/run', 'refers to a socket'],
  ['postgres://u:p@/db?host=@abstract', 'refers to a socket'],
  ['postgres://u:p@one,two/db?port=1,2,3', 'lists 3 ports, but 2 hosts'],
  ['postgres://u:p@one,two/db?host=three', 'lists 2 ports, but 1 hosts'],
  ['postgres://u:p@one,two/db?port=70000', 'has a port that is not a number'],
  ['postgres://u:p@/db?port=1', 'has no host'],
  [`postgres://u:p@${'h,'.repeat(8)}h/db`, 'has 9 hosts. The maximum is 8.'],
  ['one', 'is not a URL'],
])('%j is refused with a clear message', (text, sentence) => {
  const url = text.replace('u:p@', `u:${MARKER}@`)
  expect(() => databaseUrl(url)).toThrow(sentence)
  expect(() => databaseUrl(url)).not.toThrow(MARKER)
})

test('a text of a million characters is refused quickly', () => {
  const long = 'x,@:/[?'.repeat(200_000)
  for (const text of [long, `postgres://${long}`, `postgres://u@${'a,'.repeat(500_000)}`]) {
    expect(() => databaseUrl(text)).toThrow()
  }
})
