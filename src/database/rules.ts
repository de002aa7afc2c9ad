/**
 * How the guard reads a dialect, and what it lets through.
 * Names are compared as the engine knows them: without quotes, in lower case, and without accents.
 */
export interface Rules {
  readonly lexis: Lexis
  /** First words of statements that only read, in the order in which an error lists them. */
  readonly readVerbs: readonly string[]
  /** What may stand between EXPLAIN and the statement it explains, as tokens with spaces between. */
  readonly explainOptions: RegExp
  /** The same for statements of Tidegate's own, if more is allowed there. */
  readonly internalExplainOptions?: RegExp
  /** Functions that do more than compute: they write, lock, connect elsewhere, or run a text as SQL. */
  readonly refusedFunctions: RegExp
  /** Those of them that `x.f` also calls, where `x` is any value: one argument is enough for them. */
  readonly attributeFunctions?: RegExp
  /** Functions that run a text when they are given no more than two values. */
  readonly refusedWithTwoArguments?: RegExp
  /** Whether `* APPLY f` calls a function by its name, and `(x AS f(y))` one after AS. */
  readonly hasApply?: boolean
  /** Functions that call another whose name is their first value: `arrayMap(f, x)`. */
  readonly higherOrderFunctions?: RegExp
  /** Relations that hold secrets or the platform's own state. */
  readonly hiddenRelations: RegExp
  /** Clauses by which a read writes or locks. */
  readonly refusedClauses: readonly string[]
  /** Clauses that only say how to run and to answer. */
  readonly outputClauses?: readonly string[]
  /** What to write in place of an EXPLAIN that does not explain a query, as a sentence. */
  readonly explainAlternative?: string
}

/** How a dialect divides a text into tokens: only what differs between dialects. */
export interface Lexis {
  /** `"x"` is a name, as the standard has it, or a text. */
  readonly doubleQuotes: 'name' | 'text'
  /** `` `x` `` is a name. */
  readonly backticks?: boolean
  /** `[x]` is a name. */
  readonly brackets?: boolean
  /** `'x'` is a name where the name of a table is due: it is not read. */
  readonly textNames?: boolean
  /** In a text, a backslash escapes the character after it. */
  readonly backslashes?: boolean
  /** `E'…'` is a text with backslashes, and `U&"…"` a name with them. */
  readonly escapePrefixes?: boolean
  /** `$tag$ … $tag$` is a text. */
  readonly dollarQuotes?: boolean
  /** `$x(…)`, `@x(…)`, `:x(…)` is one parameter, with everything between the parentheses. */
  readonly parameterSuffixes?: boolean
  /** Block comments nest. */
  readonly nestedComments?: boolean
  /** `/*!…` is a comment that runs. */
  readonly runningComments?: boolean
  /** `#` begins a comment. */
  readonly hashComments?: boolean
  /** `--` begins a comment only before white space or a control character. */
  readonly spacedDashes?: boolean
  /** In a quoted name a backslash escapes, too: a name with one is not read. */
  readonly escapedNames?: boolean
  /** Bare words are of ASCII letters, digits and `_`; a `$` only begins a text. */
  readonly asciiWords?: boolean
  /** A name may begin with a digit: `2fa`, and `1e5` after a dot. */
  readonly digitNames?: boolean
  /** A carriage return ends a comment of one line, as a line feed does. */
  readonly returnEndsComment?: boolean
}
