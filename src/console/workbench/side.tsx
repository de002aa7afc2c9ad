import type { FC } from 'hono/jsx'
import { Icon } from '../parts/icon.tsx'
import { cut, grouped } from '../parts/texts.ts'
import type { ShownQuestion } from './questions.ts'
import type { ListedTool } from './tools.ts'

/** Maximum number of tools in the list. People type the names of the other tools. */
const MAX_TOOLS = 60

const LOW = ['M8 1.9l6.6 11.6H1.4z', 'M8 6.3v3.2M8 11.6v.1']

/** Side bar with an endpoint's tools and verified questions. */
export const Side: FC<{
  readonly path: string
  readonly tools: readonly ListedTool[]
  readonly chosen: string | undefined
  readonly questions: readonly ShownQuestion[]
}> = ({ path, tools, chosen, questions }) => (
  <nav class="side" aria-label="Tools">
    <h2>Tools for the model</h2>
    <ul>
      {tools.slice(0, MAX_TOOLS).map(({ name, tokens }) => (
        <li>
          <a href={`${path}?tool=${name}`} aria-current={name === chosen ? 'true' : undefined}>
            <span>{name}</span>
            <span>
              {grouped(tokens)}
              <span class="hidden"> tokens</span>
            </span>
          </a>
        </li>
      ))}
    </ul>
    {tools.length > MAX_TOOLS && (
      <form method="get" action={path} class="stack">
        <div class="field">
          <label for="tool">Other tool ({tools.length} in total)</label>
          <input id="tool" name="tool" class="mono" maxlength={64} autocomplete="off" />
        </div>
      </form>
    )}
    <h2>Verified questions</h2>
    {questions.length === 0 ? (
      <p class="small dim">None yet. Run a query, then save it with its question.</p>
    ) : (
      <ul class="words">
        {questions.map(({ name, question, state }) => (
          <li>
            <a href={`${path}/questions/${name}`} dir="auto">
              <span>{cut(question, 60)}</span>
              {state === 'broken' && (
                <>
                  <span class="hidden">, not served</span>
                  <span class="low">
                    <Icon paths={LOW} />
                  </span>
                </>
              )}
            </a>
          </li>
        ))}
      </ul>
    )}
  </nav>
)
