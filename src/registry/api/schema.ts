import * as z from 'zod/mini'
import { schemaViews } from '../../gateway/index.ts'
import { ApiFault, answer } from './fault.ts'
import { named, text, upTo } from './lists.ts'
import { type Route, route } from './route.ts'
import { foundCandidate, nameParam } from './served.ts'

const names = z.array(z.string())

const keys = z.array(
  z.object({
    columns: names,
    /** The other table, and its columns in the key. */
    table: z.string(),
    tableColumns: names,
  }),
)

const listedTable = z.object({
  name: z.string(),
  kind: z.string(),
  estimatedRows: z.optional(z.number()),
  /** Number of columns. */
  columns: z.int(),
  /** True if the glossary describes the table. The columns that it describes are counted separately. */
  described: z.boolean(),
  describedColumns: z.int(),
})

const shownTable = z.object({
  name: z.string(),
  /** The name of the table's entry in the glossary. */
  entry: z.optional(z.string()),
  kind: z.string(),
  /** The table's comment in the database. */
  comment: z.optional(z.string()),
  /** The description in the glossary, which the model reads instead. */
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
  /** Number of columns before the next page. */
  next: z.optional(z.int()),
  /** Columns in the glossary that the table does not have. */
  gone: names,
  primaryKey: names,
  uniqueKeys: z.array(names),
  foreignKeys: keys,
  /** Foreign keys in other tables that refer to this one. */
  referencedBy: keys,
  /** Number of foreign keys in both directions. */
  relations: z.int(),
  indexes: z.array(z.object({ name: z.string(), unique: z.boolean(), columns: names })),
  /** Some of the tables that foreign keys connect to this one. */
  neighbours: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.object({ name: z.string(), type: z.string() })),
      totalColumns: z.int(),
    }),
  ),
  /** The result of describe_table, and its estimated number of tokens. */
  reads: z.object({ text: z.string(), tokens: z.int() }),
})

export const schemaView = named(
  'Schema',
  z.object({
    database: z.string(),
    /** The engine's display name. */
    dialect: z.string(),
    /** A page of tables, if the request does not name a table. */
    tables: z.optional(z.array(listedTable)),
    total: z.optional(z.int()),
    /** Number of tables before the next page. */
    next: z.optional(z.int()),
    /** Glossary entries without a table, if requested. */
    gone: z.optional(names),
    table: z.optional(shownTable),
  }),
)

const number = (most: number) => z.coerce.number().check(z.int(), z.gte(0), z.lte(most))

/** `/api/endpoints/{name}/schema` */
export const schemaRoutes = (): readonly Route[] => [
  route('get', '/api/endpoints/{name}/schema', {
    summary: 'Shows a database’s tables, or one table, with descriptions from the glossary.',
    params: nameParam,
    query: z.strictObject({
      database: z.optional(upTo(31)),
      search: z.optional(upTo(200)),
      table: z.optional(text(1_000)),
      /** Number of tables, or of columns in the table, before this page. */
      offset: z._default(number(1_000_000), 0),
      limit: z._default(number(200), 50),
      /** `yes` also checks which glossary entries have no table. */
      compare: z.optional(z.enum(['yes', 'no'])),
    }),
    answers: [200, 'This part of the schema.', schemaView],
    async run({ params: { name }, query: { compare, ...query }, signal }, surroundings) {
      const candidate = await foundCandidate(name, surroundings)
      const question = { ...query, compare: compare === 'yes' }
      const { NoSchema } = await schemaViews()
      try {
        return answer(await surroundings.view(candidate, question, signal))
      } catch (error) {
        if (!(error instanceof NoSchema)) throw error
        if (error.kind === 'missing') throw new ApiFault(404, error.message)
        throw new ApiFault(503, `The database does not answer. ${error.message}`)
      }
    },
  }),
]
