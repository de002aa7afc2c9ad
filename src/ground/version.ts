/** The version in package.json. `scripts/version.mjs` writes it. */
export const version = '0.1.0'
