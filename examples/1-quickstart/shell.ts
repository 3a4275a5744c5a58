import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a command of a page; `smtpPort`: where the mailbox listens. */
export type Shell = (command?: string, smtpPort?: string) => Running;

export interface Running {
  readonly child: ChildProcess;
  /** Waits for output that fits. */
  readonly line: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string }>;
}

/** Runs commands of a page in a folder of their own; `close` ends whatever still runs, and removes the folder. */
export function shellIn(folder: string): { readonly shell: Shell; readonly close: () => Promise<void> } {
  const children = new Set<Running>();
  return {
    shell: (command = '', smtpPort = '0') => {
      const running = start(command, folder, smtpPort);
      children.add(running);
      return running;
    },
    async close() {
      for (const each of children) each.child.kill('SIGKILL');
      await Promise.all([...children].map(({ ended }) => ended));
      rmSync(folder, { recursive: true });
    },
  };
}

/** The commands of a page, in its order. */
export function commandsOf(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, command = '']) => command.trim());
}

/** What the page shows of a command's output, as what it has to look like; null: the page shows nothing of it. */
export function shownAfter(page: string, command: string): RegExp | null {
  const text = readFileSync(join(root, page), 'utf8');
  const [, after = ''] = text.split(`\n\`\`\`sh\n${command}\n\`\`\`\n`);
  const block = /^```text\n([\s\S]*?)^```$/m.exec(after.split('\n```sh\n')[0] ?? '')?.[1];
  // Between two lines of the page there may be others: of progress, or what the page leaves out.
  return block === undefined ? null : new RegExp(block.trimEnd().split('\n').map(lineOf).join('\\n(?:.*\\n)*?'));
}

/** What is another at every run. */
const VARIES: readonly (readonly [shown: RegExp, pattern: string])[] = [
  [/^\.\.\.\S*?(?=:?(?:\s|$))/, '\\S+?'],
  [/^[dn]_[\w-]{22}/, '[dn]_[\\w-]{22}'],
  [/^\d{4}-\d\d-\d\dT[\d:.]+Z/, '[\\dT:.-]+Z'],
  [/^(?:\d+ (?:d|h|min|s) ?)+ago/, '(?:now|[\\w ]+ ago)'],
  [/^in (?:\d+ (?:d|h|min|s) ?)+/, 'in [\\w ]+'],
  [/^process \d+/, 'process \\d+'],
  [/^ +/, ' +'],
];

function lineOf(line: string): string {
  if (line === '') return '';
  for (const [shown, pattern] of VARIES) {
    const [found = ''] = shown.exec(line) ?? [];
    if (found !== '') return pattern + lineOf(line.slice(found.length));
  }
  return line.charAt(0).replace(/[.*+?^${}()|[\]\\]/, '\\$&') + lineOf(line.slice(1));
}

/** Without npx, so that a signal reaches the process itself. */
function start(command: string, folder: string, smtpPort: string): Running {
  const [, set = '', words = ''] = /^((?:[A-Z_]+=\S+ )*)([\s\S]*)$/.exec(command) ?? [];
  const line = words.replace(/^npx notify /, 'node packages/cli/bin/notify.js ');
  const env = { ...process.env, NO_COLOR: '1', QUICKSTART_FOLDER: folder, QUICKSTART_PORT: smtpPort };
  const child = spawn(`${set}exec ${line}`, { cwd: root, env, shell: true });
  let out = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      for (const look of waiting) look();
    });
  const ended = new Promise<{ code: number | null; out: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, out })),
  );
  return {
    child,
    ended,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(out);
          if (found !== null) resolve(found);
        };
        waiting.add(look);
        look();
        void ended.then(({ code }) => reject(new Error(`${command}: ended with ${code}\n${out}`)));
      }),
  };
}
