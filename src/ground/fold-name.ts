/**
 * The name of a person or a group, in a form for comparing names: `Ada@example.com` becomes `ada@example.com`, and an
 * accented letter is the same whether it is one character or two. Rights depend on names, so all code compares them in
 * this form.
 */
export const foldName = (name: string): string => name.normalize('NFC').toLowerCase()
