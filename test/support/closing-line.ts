import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with `N passed, N failed`, alone on its line, for whoever reads the log by machine. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state]++
      // A file or a suite that breaks outside its tests fails, though none of its tests did.
      count.failed += module.errors().length
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length
    }
    const skipped = count.skipped + count.pending
    console.log(
      `\n${count.passed} passed, ${count.failed} failed${skipped ? `, ${skipped} skipped` : ''}`,
    )
  }
}
