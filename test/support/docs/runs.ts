import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainPaint } from '@sendonce/chaos';
import { SIMULATE_FLAGS, type SimulateFlags } from '../../../packages/cli/src/simulate/flags.ts';
import { runSimulate } from '../../../packages/cli/src/simulate/run-simulate.ts';

const RUN = /^<!-- run: (?<command>notify simulate [^\n]*?) -->\n```text\n[\s\S]*?^```$/gm;

/** The document with the output of each command that stands in a comment above its block, as it is now. */
export async function fillRuns(markdown: string): Promise<string> {
  const outputs = new Map<string, string>();
  for (const { groups } of markdown.matchAll(RUN)) {
    const command = groups?.['command'] ?? '';
    outputs.set(command, await outputOf(command));
  }
  return markdown.replaceAll(RUN, (...match) => {
    const { command } = match.at(-1) as { command: string };
    return `<!-- run: ${command} -->\n\`\`\`text\n${outputs.get(command)}\n\`\`\``;
  });
}

/** Reports go to a folder of this run's own; the text shows the folder that was asked for. */
async function outputOf(command: string): Promise<string> {
  const flags = flagsOf(command);
  const folder = await mkdtemp(join(tmpdir(), 'sendonce-docs-'));
  const own = flags.report === undefined ? flags : { ...flags, report: folder };
  let text = '';
  const out = (more: string): void => void (text += more);
  await runSimulate(own, { out, err: () => undefined, watched: false, paint: plainPaint, env: {} });
  await rm(folder, { recursive: true });
  return steady(text.replaceAll(folder, flags.report ?? folder)).trimEnd();
}

/** How long it took differs from run to run, and the trace from version to version. */
export function steady(text: string): string {
  return text.replaceAll(/^( {2}took .* in ).*$/gm, '$1...; trace ...');
}

/** As a shell and oclif would read them; quoting is not needed in the documentation. */
export function flagsOf(command: string): SimulateFlags {
  const flags: Record<string, unknown> = {};
  const words = command.split(' ').slice(2);
  while (words.length > 0) {
    const name = words.shift()?.replace(/^--/, '') ?? '';
    const known = SIMULATE_FLAGS[name as keyof typeof SIMULATE_FLAGS];
    if (known === undefined) throw new Error(`there is no flag --${name}`);
    if (known.type === 'boolean') flags[name] = true;
    else if (known.multiple === true) flags[name] = [...((flags[name] as string[] | undefined) ?? []), words.shift()];
    else flags[name] = words.shift();
  }
  return flags;
}
