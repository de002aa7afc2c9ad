import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with `N passed, N failed` on a separate line, for programs that read the log. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state]++
      // An error outside the tests of a file or a suite is also a failure.
      count.failed += module.errors().length
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length
    }
    const skipped = count.skipped + count.pending
    console.log(
      `\n${count.passed} passed, ${count.failed} failed${skipped ? `, ${skipped} skipped` : ''}`,
    )
  }
}
