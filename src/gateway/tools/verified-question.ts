import * as z from 'zod/mini'
import { type Tool, ToolError } from '../../mcp/index.ts'
import { rowsSchema } from '../answer/answer.ts'
import { exampleText, type VerifiedQuestion } from '../config/verified-question-config.ts'
import { databaseTool } from './database-tool.ts'
import { runQuery } from './run-query.ts'

/** The known state of an endpoint's questions while it is served. */
export interface QuestionStates {
  /** The reasons that some of them no longer work, by name. */
  readonly broken: ReadonlyMap<string, string>
  /** Checks one of them again, after a call to it failed. Returns the reason if it does not work. */
  lookAgain(name: string): Promise<string | undefined>
}

/** Without a check, every question counts as working. */
export const unlooked: QuestionStates = {
  broken: new Map(),
  lookAgain: async () => undefined,
}

/** The definition of a question's tool, independent of a database. */
export const questionTool = ({ name, question, sql, params, by, at }: VerifiedQuestion) =>
  databaseTool({
    name,
    title: question.slice(0, 80),
    description: `${question} Checked by ${by} on ${at.slice(0, 10)}.`,
    input: z.strictObject({}),
    output: rowsSchema,
    author: 'operator',
    run: async (_, context) => runQuery({ sql, params }, context),
  })

/** The tool for a question. While the question does not work, the tool is not listed, and a call returns the reason. */
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
    `The verified question ${name} no longer works, and is not served until it is fixed. The database says: ${problem}`,
  )

/** The same tool, with a description that ends with the examples that work. */
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
