import type { Alert, AlertSink } from '@sendonce/core';
import { FUNCTION_RULE, type Rule, type Rules } from '@sendonce/core/internal';
import { checkAdapter } from '../internal/options.ts';

export interface ConsoleAlertsOptions {
  /** Takes one line, without its line break. @defaultValue writes to standard error */
  readonly write?: (line: string) => void;
}

/** Alerts as lines to read: what happened, to which, and the command that shows or mends it. */
export function consoleAlerts(options: ConsoleAlertsOptions = {}): AlertSink {
  checkAdapter('consoleAlerts', options, RULES);
  const { write = (line) => void process.stderr.write(`${line}\n`) } = options;
  return {
    async send(alert) {
      write(lineOf(alert));
    },
    async close() {},
  };
}

const RULES: Rules = { write: FUNCTION_RULE } satisfies Record<keyof ConsoleAlertsOptions, Rule>;

function lineOf({ kind, at, count, examples, summary, next }: Alert): string {
  const more = count - examples.length;
  const named = examples.join(', ') + (more > 0 ? ` and ${more} more` : '');
  const about = examples.length === 0 ? '' : ` (${named})`;
  const line = `${new Date(at).toISOString()} ${kind}: ${summary}${about}. Next: ${next}`;
  // One alert is one line, whatever an id or a summary holds.
  return line.replace(/\p{Cc}+/gu, ' ');
}
