import * as z from 'zod/mini'
import { schemaViews } from '../../gateway/index.ts'
import { privateHostsOf } from './endpoint-body.ts'
import { found, nameParam } from './endpoints.ts'
import { ApiFault, answer } from './fault.ts'
import { named } from './lists.ts'
import { type Route, route } from './route.ts'

const names = z.array(z.string())

const keys = z.array(
  z.object({
    columns: names,
    /** The other table, and the columns there. */
    table: z.string(),
    tableColumns: names,
  }),
)

const listedTable = z.object({
  name: z.string(),
  kind: z.string(),
  estimatedRows: z.optional(z.number()),
  /** How many columns it has. */
  columns: z.int(),
  /** Whether the glossary speaks of it, and of how many of its columns. */
  described: z.boolean(),
  describedColumns: z.int(),
})

const shownTable = z.object({
  name: z.string(),
  /** The name of its entry in the glossary. */
  entry: z.optional(z.string()),
  kind: z.string(),
  /** What the database says of it. */
  comment: z.optional(z.string()),
  /** What a person says of it, which the model reads instead. */
  description: z.optional(z.string()),
  estimatedRows: z.optional(z.number()),
  columns: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      nullable: z.boolean(),
      default: z.optional(z.string()),
      values: z.optional(names),
      comment: z.optional(z.string()),
      description: z.optional(z.string()),
    }),
  ),
  totalColumns: z.int(),
  /** The number of columns before the next page. */
  next: z.optional(z.int()),
  /** Columns of the glossary that it does not have. */
  gone: names,
  primaryKey: names,
  uniqueKeys: z.array(names),
  foreignKeys: keys,
  /** Foreign keys of other tables that point here. */
  referencedBy: keys,
  /** How many foreign keys there are in both directions. */
  relations: z.int(),
  indexes: z.array(z.object({ name: z.string(), unique: z.boolean(), columns: names })),
  /** Some of the tables that foreign keys connect with it. */
  neighbours: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.object({ name: z.string(), type: z.string() })),
      totalColumns: z.int(),
    }),
  ),
  /** What describe_table answers, and about how many tokens that is. */
  reads: z.object({ text: z.string(), tokens: z.int() }),
})

const schemaView = named(
  'Schema',
  z.object({
    database: z.string(),
    /** The engine, as people write it. */
    dialect: z.string(),
    /** A page of tables, if no table was named. */
    tables: z.optional(z.array(listedTable)),
    total: z.optional(z.int()),
    /** The number of tables before the next page. */
    next: z.optional(z.int()),
    /** Entries of the glossary that have no table, if that was asked. */
    gone: z.optional(names),
    table: z.optional(shownTable),
  }),
)

const number = (most: number) => z.coerce.number().check(z.int(), z.gte(0), z.lte(most))

/** `/api/endpoints/{name}/schema` */
export const schemaRoutes = (): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/endpoints/{name}/schema',
    summary: 'Shows the tables of a database, or one of them, with the words of the glossary.',
    params: nameParam,
    query: z.strictObject({
      database: z.optional(z.string().check(z.maxLength(31))),
      search: z.optional(z.string().check(z.maxLength(200))),
      table: z.optional(z.string().check(z.minLength(1), z.maxLength(1_000))),
      /** Tables, or columns of the table, before this page. */
      offset: z._default(number(1_000_000), 0),
      limit: z._default(number(200), 50),
      /** `yes` also looks which entries of the glossary have no table. */
      compare: z.optional(z.enum(['yes', 'no'])),
    }),
    answers: { 200: { description: 'This part of the schema.', schema: schemaView } },
    async run({ params: { name }, query: { compare, ...query }, signal }, surroundings) {
      const { stored, value } = await found(name, surroundings)
      const privateHosts = await privateHostsOf(surroundings)
      const question = { ...query, compare: compare === 'yes' }
      const { NoSchema } = await schemaViews()
      try {
        const candidate = { entry: stored ?? { value }, privateHosts }
        return answer(await surroundings.view(candidate, question, signal))
      } catch (error) {
        if (!(error instanceof NoSchema)) throw error
        if (error.kind === 'missing') throw new ApiFault(404, error.message)
        throw new ApiFault(503, `The database does not answer. ${error.message}`)
      }
    },
  }),
]
