import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Short to read, long to run. Without this, the largest file is first, and one of these alone at the end. */
const LONG = [
  'test/console/pages.test.ts',
  'test/sign-in/programs.test.ts',
  'test/package.test.ts',
  'test/new.test.ts',
  'test/hosts-programs.test.ts',
  'test/docker.test.ts',
  'test/deploy.test.ts',
  'test/mcpb.test.ts',
  'test/tutorial.test.ts',
]

/** Begins with what takes longest, so that no processor waits for it in the end. */
export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((it) => moduleId.endsWith(it))
    return [...sorted.filter(isLong), ...sorted.filter((it) => !isLong(it))]
  }
}
