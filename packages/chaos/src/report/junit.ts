import type { Violation } from '../result.ts';
import { withDurations } from './format.ts';
import { faultWords } from './fault-words.ts';
import { invariantText } from './invariants.ts';
import type { SimulateReport } from './types.ts';
import { unproven } from './unproven.ts';
import { firstOfEach, whoInPlan } from './who.ts';

/** One test case per invariant that was checked, in the XML that CI servers read. */
export function junit(
  report: SimulateReport,
  context: { readonly replay: string | null; readonly again: string },
): string {
  const violations = new Map(
    firstOfEach(report.result.violations).map((violation) => [violation.invariant, violation]),
  );
  const ids = [...new Set([...report.checked, ...violations.keys()])];
  const cases = ids.map((id) => testCase(report, id, violations.get(id), context.replay ?? context.again));
  const reasons = unproven(report);
  const doubt = reasons.length === 0 ? [] : [conclusive(reasons)];
  const attributes = {
    name: 'notify simulate',
    tests: cases.length + doubt.length,
    failures: violations.size,
    errors: doubt.length,
    time: (report.wallMs / 1_000).toFixed(3),
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite${attributesText(attributes)}>`,
    ...[...cases, ...doubt].map((line) => `    ${line}`),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(report: SimulateReport, id: string, violation: Violation | undefined, again: string): string {
  const name = attributesText({ classname: 'sendonce.simulate', name: `${id} ${invariantText(id).title}` });
  if (violation === undefined) return `<testcase${name}/>`;
  const faults = (report.minimal?.plan ?? report.result).faults.map((fault, i) => `${i + 1}. ${faultWords(fault)}`);
  const whom = violation.recipient === null ? [] : [`recipient: ${whoInPlan(report, violation.recipient)}`];
  const body = [...whom, ...faults, invariantText(id).why, `rerun: ${again}`].join('\n');
  return `<testcase${name}><failure${attributesText({ message: withDurations(violation.message), type: id })}>${xml(body)}</failure></testcase>`;
}

function conclusive(reasons: readonly string[]): string {
  const message = attributesText({ message: reasons[0] ?? 'inconclusive', type: 'inconclusive' });
  return `<testcase classname="sendonce.simulate" name="the run is conclusive"><error${message}>${xml(reasons.join('\n'))}</error></testcase>`;
}

function attributesText(attributes: Readonly<Record<string, string | number>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${attribute(String(value))}"`)
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function attribute(text: string): string {
  return xml(text).replaceAll('\n', '&#10;');
}

function xml(text: string): string {
  // XML 1.0 has no way to write most control characters, escaped or not.
  const writable = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '?');
  return writable.replace(/[&<>"]/g, (letter) => ENTITIES[letter] ?? letter);
}
