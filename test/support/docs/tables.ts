import { CLASS_POLICIES, DELIVERY_CLASSES, DELIVERY_STATES, TRANSITIONS, type RetryPolicy } from '@sendonce/core';
import { resolveWorker } from '../../../packages/core/src/settings.ts';
import type { Read, Tables } from './includes.ts';
import { membersOf } from './members.ts';
import { table } from './table.ts';

const CONFIG = 'packages/core/src/config.ts';
const SETTINGS = 'packages/core/src/settings.ts';

/** The tables that are made from the code, so that the documentation cannot say otherwise. */
export function codeTables(read: Read): Tables {
  return {
    'worker-options': () => workerOptions(read),
    'class-policies': classPolicies,
    transitions,
  };
}

function workerOptions(read: Read): string {
  const presets = resolveWorker({}) as Readonly<Record<string, unknown>>;
  const bounds = new Map(
    [...read(SETTINGS).matchAll(/^ {2}(\w+): \[([\d_]+), ([\d_]+), ([\d_]+)\],$/gm)].map(([, name = '', ...three]) => [
      name,
      three.map((text) => Number(text.replaceAll('_', ''))),
    ]),
  );
  const rows = membersOf(read(CONFIG), 'WorkerOptions').map(({ name, about }) => {
    const [least, , most] = bounds.get(name) ?? [];
    const range = least === undefined ? '' : `${number(least)} to ${number(most ?? 0)}`;
    // The bounds have columns of their own.
    const what = about.replace(/ ?[\d,]+ to [\d,]+( ms)?\./, '');
    return [`\`${name}\``, preset(name, presets[name]), range, what];
  });
  return table(['option', 'default', 'bounds', 'what'], rows);
}

function preset(name: string, value: unknown): string {
  if (name === 'keyMarginMs') return '2 x `dispatchMs`';
  if (name === 'sendMarginMs') return `${number(Number(value))}, at most \`dispatchMs\` / 4`;
  if (name === 'name') return 'a fresh id';
  return typeof value === 'number' ? number(value) : `\`${JSON.stringify(value)}\``;
}

function classPolicies(): string {
  const rows = DELIVERY_CLASSES.map((name) => {
    const policy = CLASS_POLICIES[name];
    return [
      `\`${name}\``,
      replayFor(policy.replayForMs),
      `\`${policy.lookup}\``,
      `\`${policy.onUnknown}\``,
      policy.expiresInMs === null ? 'none: `expiresInMs` is required' : duration(policy.expiresInMs),
      `\`${policy.optOut}\``,
      retry(policy.retry),
      String(policy.maxAttempts),
    ];
  });
  return table(
    ['class', '`replayForMs`', '`lookup`', '`onUnknown`', '`expiresInMs`', '`optOut`', '`retry`', '`maxAttempts`'],
    rows,
  );
}

function replayFor(ms: number): string {
  if (ms === Infinity) return 'until the key window closes';
  return ms === 0 ? 'once' : duration(ms);
}

function retry(policy: RetryPolicy): string {
  if ('schedule' in policy) return policy.schedule.map(duration).join(', ');
  return `${duration(policy.baseMs)} x ${policy.factor}, at most ${duration(policy.maxMs)}`;
}

function transitions(): string {
  return table(
    ['from', 'to'],
    DELIVERY_STATES.map((from) => [`\`${from}\``, TRANSITIONS[from].map((to) => `\`${to}\``).join(' ')]),
  );
}

function duration(ms: number): string {
  const units = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ] as const;
  const [size, unit] = units.find(([each]) => ms >= each && ms % each === 0) ?? [1, 'ms'];
  return `${ms / size} ${unit}`;
}

function number(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
