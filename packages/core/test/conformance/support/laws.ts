import { describe, test } from 'vitest';
import { reasonToSkip, type Law, type LawSubject } from '../../../src/conformance/contract.ts';

/** One vitest test per law, named by its sentence; a law that needs what the subject has not is skipped with its reason. */
export function testLaws<Subject extends LawSubject>(
  name: string,
  laws: readonly Law<Subject>[],
  makeSubject: () => Subject | Promise<Subject>,
): void {
  describe(name, () => {
    test.for(laws.map((law) => [law.law, law] as const))('%s', async ([, law], context) => {
      const subject = await makeSubject();
      try {
        const reason = reasonToSkip(law, subject);
        if (reason === null) await law.check(subject);
        else context.skip(reason);
      } finally {
        await subject.close();
      }
    });
  });
}
