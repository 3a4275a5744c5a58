import { appendFile } from 'node:fs/promises';
import {
  githubErrors,
  githubSummary,
  simulateJson,
  simulateText,
  type ReportContext,
  type SimulateReport,
} from '@sendonce/chaos';
import type { Terminal } from '../terminal.ts';

/** Prints the result: text or one JSON object on stdout, and what GitHub Actions understands where it runs there. */
export async function showReport(
  report: SimulateReport,
  context: ReportContext,
  io: { terminal: Terminal; json: boolean },
): Promise<void> {
  const { terminal, json } = io;
  const text = json ? `${JSON.stringify(simulateJson(report, context), null, 2)}\n` : simulateText(report, context);
  terminal.out(text);
  if (terminal.env['GITHUB_ACTIONS'] !== 'true') return;
  // The runner reads commands from both streams; stdout stays one JSON object.
  const say = json ? terminal.err : terminal.out;
  for (const line of githubErrors(report, context)) say(`${line}\n`);
  const summary = terminal.env['GITHUB_STEP_SUMMARY'];
  if (summary !== undefined && summary !== '') await appendFile(summary, githubSummary(report, context));
}
