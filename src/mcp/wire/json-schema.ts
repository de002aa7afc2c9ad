// Converts `zod/mini` schemas to JSON Schema. `zod` schemas include zod's own converter. `zod/mini` leaves it out,
// because it is as large as three drivers.
import * as z from 'zod/v4/core'

/** The side of a schema to describe: the input, before defaults, or the output. */
export type Direction = 'input' | 'output'

type SchemaJson = Record<string, unknown>

/** Writes a schema in JSON Schema 2020-12. Throws if JSON Schema cannot express it. */
export function jsonSchemaOf(schema: z.$ZodType, io: Direction): SchemaJson {
  const { jsonSchema: own } = schema['~standard'] as Standard
  if (!own) return write(schema as z.$ZodTypes, io)
  const libraryOptions = { override: withoutAdditionalProperties }
  const { $schema, ...json } = own[io]({ target: 'draft-2020-12', libraryOptions })
  return json
}

/** The converter that a schema may include: https://standardschema.dev/json-schema */
interface Standard {
  readonly jsonSchema?: Readonly<Record<Direction, (options: object) => SchemaJson>>
}

/** Leaves `additionalProperties` out, unless the schema's author set it. */
function withoutAdditionalProperties(made: {
  zodSchema: z.$ZodType
  jsonSchema: SchemaJson
}): void {
  const { def } = made.zodSchema._zod
  if (def.type === 'object' && !(def as z.$ZodObjectDef).catchall) {
    delete made.jsonSchema.additionalProperties
  }
}

function write(schema: z.$ZodType, io: Direction): SchemaJson {
  const { id, ...meta } = z.globalRegistry.get(schema) ?? {}
  return { ...shapeOf(schema as z.$ZodTypes, io), ...meta }
}

function shapeOf(schema: z.$ZodTypes, io: Direction): SchemaJson {
  const { def } = schema._zod
  const list = (of: readonly z.$ZodType[]) => of.map((it) => write(it, io))
  switch (def.type) {
    case 'any':
    case 'unknown':
    case 'lazy':
    case 'transform':
    case 'custom':
      return {}
    case 'never':
      return { not: {} }
    case 'boolean':
    case 'null':
      return { type: def.type }
    case 'string':
    case 'number':
      return bounded(def)
    case 'literal':
      return enumerated(def.values)
    case 'enum':
      return enumerated([...schema._zod.values!])
    case 'array':
      return { type: 'array', items: write(def.element, io), ...lengths(def.checks, 'Items') }
    case 'tuple': {
      const { length } = def.items
      const rest = def.rest ? { items: write(def.rest, io) } : { maxItems: length, items: false }
      return { type: 'array', prefixItems: list(def.items), minItems: length, ...rest }
    }
    case 'record':
      return {
        type: 'object',
        ...(def.keyType._zod.values && { propertyNames: write(def.keyType, io) }),
        additionalProperties: write(def.valueType, io),
      }
    case 'object':
      return objectOf(def, io)
    case 'union':
      return { anyOf: list(def.options) }
    case 'intersection':
      return { allOf: list([def.left, def.right]) }
    case 'nullable':
      return { anyOf: [write(def.innerType, io), { type: 'null' }] }
    case 'default':
      return { ...write(def.innerType, io), default: def.defaultValue }
    case 'prefault':
      return { ...write(def.innerType, io), ...(io === 'input' && { default: def.defaultValue }) }
    case 'optional':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return write(def.innerType, io)
    case 'pipe':
      return write(io === 'input' ? def.in : def.out, io)
    default:
      throw new Error(`JSON Schema cannot express a schema of type ${def.type}.`)
  }
}

function objectOf({ shape, catchall }: z.$ZodObjectDef, io: Direction): SchemaJson {
  const properties = Object.entries(shape)
  const optional = io === 'input' ? 'optin' : 'optout'
  const required = properties.filter(([, it]) => it._zod[optional] === undefined)
  const strict = catchall?._zod.def.type === 'never'
  return {
    type: 'object',
    properties: Object.fromEntries(properties.map(([name, it]) => [name, write(it, io)])),
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
    ...(catchall && { additionalProperties: strict ? false : write(catchall, io) }),
  }
}

function enumerated(values: readonly unknown[]): SchemaJson {
  const types = new Set(values.map((it) => (it === null ? 'null' : typeof it)))
  const type = types.size === 1 ? { type: [...types][0] } : {}
  return { ...type, enum: values }
}

type Checks = readonly z.$ZodCheck<never>[] | undefined

type CheckDef = z.$ZodChecks['_zod']['def']

const defsOf = (checks: Checks) => (checks ?? []).map((it) => it._zod.def as CheckDef)

/** Zod formats that JSON Schema also has, with their JSON Schema names. */
const FORMATS: Readonly<Record<string, string>> = {
  email: 'email',
  url: 'uri',
  uuid: 'uuid',
  guid: 'uuid',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
  datetime: 'date-time',
  date: 'date',
  time: 'time',
  duration: 'duration',
}

/** A string or a number, with its bounds. */
function bounded(def: z.$ZodStringDef | z.$ZodNumberDef): SchemaJson {
  const all = [def as unknown as CheckDef, ...defsOf(def.checks)]
  const json: SchemaJson = { type: def.type, ...lengths(def.checks, 'Length') }
  for (const it of all) {
    if (it.check === 'string_format') {
      const format = FORMATS[it.format]
      if (format) json.format = format
      else if (it.pattern) json.pattern = it.pattern.source
    }
    if (it.check === 'number_format' && it.format.includes('int')) json.type = 'integer'
    if (it.check === 'multiple_of') json.multipleOf = it.value
    if (it.check === 'greater_than') json[it.inclusive ? 'minimum' : 'exclusiveMinimum'] = it.value
    if (it.check === 'less_than') json[it.inclusive ? 'maximum' : 'exclusiveMaximum'] = it.value
  }
  return json
}

function lengths(checks: Checks, of: 'Items' | 'Length'): SchemaJson {
  const json: SchemaJson = {}
  for (const it of defsOf(checks)) {
    const exact = it.check === 'length_equals' ? it.length : undefined
    const least = it.check === 'min_length' ? it.minimum : exact
    const most = it.check === 'max_length' ? it.maximum : exact
    if (least !== undefined) json[`min${of}`] = least
    if (most !== undefined) json[`max${of}`] = most
  }
  return json
}
