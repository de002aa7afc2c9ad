import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Small files with long run times. Without this list, the largest file would run first, and one of these last. */
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

/** Starts the longest files first, to keep all processors busy until the end. */
export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((it) => moduleId.endsWith(it))
    return [...sorted.filter(isLong), ...sorted.filter((it) => !isLong(it))]
  }
}
