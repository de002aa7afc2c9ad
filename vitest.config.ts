import { availableParallelism } from 'node:os'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import LongFirst from './test/support/long-first.ts'
import { noVars } from './test/support/no-vars.ts'

// What a test needs on a quiet machine, many times over: a busy one is no reason to fail.
const patience = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
}

export default defineConfig({
  test: {
    passWithNoTests: true,
    // One file more than there are cores: much of a test waits for another process.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongFirst },
    reporters: ['default', './test/support/closing-line.ts'],
    projects: [
      {
        test: {
          ...patience,
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['test/workers/**', '**/node_modules/**'],
        },
      },
      {
        plugins: [
          cloudflareTest({
            main: './src/index.ts',
            wrangler: { configPath: './wrangler.toml' },
            miniflare: { bindings: noVars, d1Databases: ['TEST_DB', 'QUERIES_DB', 'GROUPS_DB'] },
          }),
        ],
        // One runtime for all files: a runtime each takes half a second longer.
        // So storage is shared, and a test resets it or uses names of its own.
        test: {
          ...patience,
          name: 'workers',
          include: ['test/workers/**/*.test.ts'],
          isolate: false,
        },
      },
    ],
  },
})
