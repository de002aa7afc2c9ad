/**
 * The guard's rules for a dialect: its lexis, and the statements that are allowed. Names are compared in the
 * engine's form: without quotes, in lower case, and without accents.
 */
export interface Rules {
  readonly lexis: Lexis
  /**
   * True if an unquoted AS can name a column here. The guard then refuses such a name, since the word after it could
   * be a clause that looks like an alias.
   */
  readonly asNamesColumns?: boolean
  /** First words of statements that only read, in the order in which an error lists them. */
  readonly readVerbs: readonly string[]
  /** The options allowed between EXPLAIN and the statement it explains, as tokens with spaces between. */
  readonly explainOptions: RegExp
  /** The EXPLAIN options for Tidegate's own statements, if they are allowed more. */
  readonly internalExplainOptions?: RegExp
  /** Functions that do more than compute: they write, lock, connect elsewhere, or run a string as SQL. */
  readonly refusedFunctions: RegExp
  /** Refused functions that `x.f` can also call, where `x` is any value, because one argument is enough. */
  readonly attributeFunctions?: RegExp
  /** Those of them that do not take a row, so `x.f` is a column if `x` can only be rows. */
  readonly rowColumns?: RegExp
  /** Those of them that take only rows of a special type that tables do not have. */
  readonly tableColumns?: RegExp
  /** Functions that run a string as SQL if they have at most two arguments. */
  readonly refusedWithTwoArguments?: RegExp
  /** Functions that connect to other hosts, unless they have exactly three string literals as arguments. */
  readonly refusedUnlessOfThreeTexts?: RegExp
  /** True if `* APPLY f` calls a function by its name, and `(x AS f(y))` calls one after AS. */
  readonly hasApply?: boolean
  /** Functions that call another function, whose name is their first argument: `arrayMap(f, x)`. */
  readonly higherOrderFunctions?: RegExp
  /** Relations that contain secrets or the platform's own state, or that change when they are read. */
  readonly hiddenRelations: RegExp
  /** Such relations whose names tables of others can have, too: each as `schema.name`. */
  readonly hiddenQualified?: RegExp
  /** Names of settings that a statement can read. People keep secrets for their own functions in other settings. */
  readonly readableSettings?: RegExp | undefined
  /** The function that reads a setting by its name. */
  readonly settingFunction?: RegExp
  /** Clauses that make a read-only statement write or lock. */
  readonly refusedClauses: readonly string[]
  /** First words of clauses that can also be the object of SHOW or SHOW CHANGED. */
  readonly shownClauses?: readonly string[]
  /** Clauses that only affect execution and output. */
  readonly outputClauses?: readonly string[]
  /** The alternative to an EXPLAIN that does not explain a query, as a sentence. */
  readonly explainAlternative?: string
}

/** A dialect's rules for splitting SQL into tokens: only the differences between dialects. */
export interface Lexis {
  /** `"x"` is a name, as in the standard, or a string. */
  readonly doubleQuotes: 'name' | 'text'
  /** `` `x` `` is a name. */
  readonly backticks?: boolean
  /** `[x]` is a name. */
  readonly brackets?: boolean
  /** `'x'` can stand for a table's name. The guard refuses it there. */
  readonly textNames?: boolean
  /** In a string, a backslash escapes the character after it. */
  readonly backslashes?: boolean
  /** `E'…'` is a string with backslash escapes, and `U&"…"` is a name with them. */
  readonly escapePrefixes?: boolean
  /** `$tag$ … $tag$` is a string. */
  readonly dollarQuotes?: boolean
  /** `$x(…)`, `@x(…)` and `:x(…)` are each one parameter, including everything between the parentheses. */
  readonly parameterSuffixes?: boolean
  /** Block comments nest. If that depends on the version, a nested comment is refused. */
  readonly nestedComments?: boolean | 'in some versions'
  /** `/*!…` is a comment that runs. */
  readonly runningComments?: boolean
  /** `#` begins a comment. */
  readonly hashComments?: boolean
  /** `//` begins a comment. */
  readonly slashComments?: boolean
  /** `--` begins a comment only before white space or a control character. */
  readonly spacedDashes?: boolean
  /** Backslashes are also escapes in quoted names. The guard refuses names that contain one. */
  readonly escapedNames?: boolean
  /** Bare words consist of ASCII letters, digits and `_`; a `$` only starts a string. */
  readonly asciiWords?: boolean
  /** A name can start with a digit: `2fa`, and `1e5` after a dot. */
  readonly digitNames?: boolean
  /** A carriage return ends a one-line comment, as a line feed does. */
  readonly returnEndsComment?: boolean
}
