import * as z from 'zod/mini'
import { type Tool, ToolError } from '../mcp/index.ts'
import { rowsSchema } from './answer.ts'
import { databaseTool } from './database-tool.ts'
import { runQuery } from './run-query.ts'
import { exampleText, type VerifiedQuestion } from './verified-question-config.ts'

/** What is known of the questions of an endpoint while it is served. */
export interface QuestionStates {
  /** Why some of them do not work any more, by their names. */
  readonly broken: ReadonlyMap<string, string>
  /** Looks at one of them again, after a call of it failed. Says why it does not work, if it does not. */
  lookAgain(name: string): Promise<string | undefined>
}

/** Without a look at the database, every question counts as one that works. */
export const unlooked: QuestionStates = {
  broken: new Map(),
  lookAgain: async () => undefined,
}

/** The tool of a question, before it is made for a database. */
export const questionTool = ({ name, question, sql, params, by, at }: VerifiedQuestion) =>
  databaseTool({
    name,
    title: question.slice(0, 80),
    description: `${question} Checked by ${by} on ${at.slice(0, 10)}.`,
    input: z.strictObject({}),
    output: rowsSchema,
    run: async (_, context) => runQuery({ sql, params }, context),
  })

/** The tool of a question, which is not listed while it does not work, and then says why. */
export function served(made: Tool, { broken, lookAgain }: QuestionStates): Tool {
  const { name } = made
  const problem = broken.get(name)
  return {
    ...made,
    ...(problem !== undefined && { unlisted: true }),
    async run(input, context) {
      if (problem !== undefined) throw noLonger(name, problem)
      try {
        return await made.run(input, context)
      } catch (error) {
        const found = error instanceof ToolError ? await lookAgain(name) : undefined
        throw found === undefined ? error : noLonger(name, found)
      }
    },
  }
}

const noLonger = (name: string, problem: string) =>
  new ToolError(
    `The verified question ${name} does not work any more, and is not served until it is mended. The database says: ${problem}`,
  )

/** The same tool, whose description ends with the examples that work. */
export function withExamples(
  made: Tool,
  questions: readonly VerifiedQuestion[],
  { broken }: QuestionStates,
): Tool {
  const examples = questions.filter((it) => it.as === 'example' && !broken.has(it.name))
  if (examples.length === 0) return made
  return {
    ...made,
    description: [made.description, HEADING, ...examples.map(exampleText)].join('\n'),
  }
}

const HEADING = 'Checked by people:'
