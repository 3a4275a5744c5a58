import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { sinkOf, type Sink } from '../../src/operate/archive/sink.ts';
import { PROCESS_STREAMS } from '../../src/terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'sendonce-sink-'));
afterAll(() => rmSync(folder, { recursive: true }));
const openSink = (to: string): Promise<Sink> => sinkOf({ to }, PROCESS_STREAMS);

describe('the file of an archive', () => {
  // `!`: it fails.
  test.each([
    'a.open a.write b.open b.write b.finish a.write a.finish! a.abandon',
    'a.open b.open a.write b.write a.finish! b.write a.abandon b.finish',
    'a.open b.open a.write a.abandon b.write b.write b.finish',
    'a.open b.open b.write a.write a.finish! a.abandon b.write b.finish',
  ])('is that of one run alone where two write it at once: %s', async (steps) => {
    const to = join(folder, `${steps}.ndjson`);
    const sinks = new Map<string, Sink>();
    const run = async (who: string, step: string): Promise<void> => {
      if (step === 'open') sinks.set(who, await openSink(to));
      else if (step === 'write') await sinks.get(who)?.write(`${who}\n`);
      else await sinks.get(who)?.[step as 'finish' | 'abandon']();
    };
    for (const each of steps.split(' ')) {
      const [who = '', step = ''] = each.replace('!', '').split('.');
      if (each.endsWith('!')) await expect(run(who, step)).rejects.toMatchObject({ code: 'OUTPUT_FAILED' });
      else await run(who, step);
    }
    expect(readFileSync(to, 'utf8')).toBe('b\n'.repeat(steps.split('b.write').length - 1));
    expect(existsSync(`${to}.part`)).toBe(false);
  });

  test('takes its name from no file that came meanwhile', async () => {
    const to = join(folder, 'late.ndjson');
    const sink = await openSink(to);
    await sink.write('ours');
    writeFileSync(to, 'theirs');
    await expect(sink.finish()).rejects.toMatchObject({ code: 'OUTPUT_FAILED' });
    await sink.abandon();
    expect([readFileSync(to, 'utf8'), existsSync(`${to}.part`)]).toEqual(['theirs', false]);
  });
});
