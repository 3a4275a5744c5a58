import { test } from 'vitest';
import { simulateText } from '../../src/report/text.ts';
import { junit } from '../../src/report/junit.ts';
import { githubErrors, githubSummary } from '../../src/report/github.ts';
import { context, failing, passing } from './fixtures.ts';
test('x', () => {
  process.stdout.write(simulateText(passing(), context()));
  process.stdout.write(
    simulateText(
      failing(),
      context({ replay: 'notify simulate --replay /tmp/x/S1.plan.json', planFile: '/tmp/x/S1.plan.json' }),
    ),
  );
  process.stdout.write(junit(failing(), context()));
  process.stdout.write(githubErrors(failing(), context()).join('\n'));
  process.stdout.write(githubSummary(failing(), context()));
});
