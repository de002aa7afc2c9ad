import { describe, expect, test } from 'vitest'
import { z as full } from 'zod'
import * as mini from 'zod/mini'
import { jsonSchemaOf } from '../../../src/mcp/wire/json-schema.ts'

const described = mini.string().check(mini.describe('What it is for.'))

/** The schemas that tools use. */
const schemas = {
  string: mini.string().check(mini.minLength(2), mini.maxLength(9)),
  'exact length': mini.string().check(mini.length(3)),
  pattern: mini.string().check(mini.regex(/^[a-z]+$/)),
  email: mini.email(),
  uuid: mini.uuid(),
  url: mini.url(),
  'date and time': mini.iso.datetime(),
  date: mini.iso.date(),
  number: mini.number().check(mini.gt(1), mini.lt(9), mini.multipleOf(0.5)),
  integer: mini.int().check(mini.gte(0), mini.lte(10)),
  boolean: mini.boolean(),
  null: mini.null(),
  anything: mini.unknown(),
  literals: mini.literal(['a', 'b']),
  'literal numbers': mini.literal([1, 2]),
  enum: mini.enum(['a', 'b']),
  list: mini.array(mini.string()).check(mini.minLength(1), mini.maxLength(5)),
  pair: mini.tuple([mini.string(), mini.number()]),
  record: mini.partialRecord(mini.enum(['a', 'b']), mini.number()),
  union: mini.union([mini.string(), mini.array(mini.number())]),
  described,
  optional: mini.object({ a: mini.optional(described), b: mini.string() }),
  default: mini.object({ a: mini._default(mini.number(), 7), b: mini.optional(mini.string()) }),
  prefault: mini.object({ a: mini.prefault(mini.string(), 'x') }),
  strict: mini.strictObject({ a: mini.string() }),
  loose: mini.looseObject({ a: mini.string() }),
  pipe: mini.pipe(mini.string(), mini.transform(Number)),
  nested: mini.strictObject({
    where: mini.optional(mini.array(mini.strictObject({ column: mini.string() }))),
  }),
}

describe('a zod/mini schema', () => {
  test.each(Object.entries(schemas))('is written as zod would write it: %s', (_, schema) => {
    for (const io of ['input', 'output'] as const) {
      if (schema === schemas.pipe && io === 'output') continue
      const { $schema, ...expected } = mini.toJSONSchema(schema, {
        io,
        override: withoutAdditionalProperties,
      })
      const { pattern, ...own } = jsonSchemaOf(schema, io)
      // Along with a format, zod also writes the pattern with which it checks the format.
      expect('format' in own ? own : { ...own, ...(pattern !== undefined && { pattern }) }).toEqual(
        'format' in expected ? without(expected, 'pattern') : expected,
      )
    }
  })

  test.each([
    [mini.nullable(mini.string()), { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [mini.readonly(mini.string()), { type: 'string' }],
    [
      mini.record(mini.string(), mini.number()),
      { type: 'object', additionalProperties: { type: 'number' } },
    ],
  ])('is written in a shorter or more widely supported form: %#', (schema, json) => {
    expect(jsonSchemaOf(schema, 'input')).toEqual(json)
  })

  test('that has no JSON Schema form is an error', () => {
    expect(() => jsonSchemaOf(mini.bigint(), 'input')).toThrow(
      'cannot express a schema of type bigint',
    )
  })
})

describe('a zod schema', () => {
  test('is written by zod', () => {
    const schema = full.object({
      when: full.iso.datetime().describe('Then.'),
      tree: full.lazy(() => full.array(full.string())),
    })
    const { $schema, ...expected } = full.toJSONSchema(schema, {
      override: withoutAdditionalProperties,
    })
    expect(jsonSchemaOf(schema, 'output')).toEqual(expected)
  })
})

/** Removes `additionalProperties` unless the author said whether the object is strict. */
function withoutAdditionalProperties({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: unknown
  jsonSchema: object
}) {
  const { type, catchall } = (zodSchema as mini.ZodMiniObject)._zod.def
  if (type === 'object' && !catchall) Reflect.deleteProperty(jsonSchema, 'additionalProperties')
}

function without(value: object, key: string) {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
}
