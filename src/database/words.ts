/** The words of some lines: a long list without a quote and a comma for each, `words('a b', 'c d')`. */
export const words = (...lines: readonly string[]): readonly string[] => lines.join(' ').split(' ')

/** The words of some lines as alternatives of a regular expression: `a|b|c`. */
export const either = (...lines: readonly string[]): string => words(...lines).join('|')
