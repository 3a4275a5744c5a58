// Breaks one rule of the protocol at a time, in a copy of core, and expects the tests named in scripts/mutants/table.js to turn red.
// node scripts/mutants.js [--rule N]
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MUTANTS } from './mutants/table.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RULES = 15;
const SIDE_BY_SIDE = 2;
/** A run takes a few seconds. One that takes this long hangs, and says nothing about the tests. */
const LIMIT_MS = 90_000;

const { values } = parseArgs({ options: { rule: { type: 'string' } } });
const chosen = MUTANTS.filter(({ rule }) => values.rule === undefined || rule === Number(values.rule));

const complaints = [...missingRules(), ...chosen.flatMap(misfits)];
if (complaints.length > 0) {
  console.error(complaints.join('\n'));
  process.exit(2);
}

const places = Array.from({ length: SIDE_BY_SIDE }, copyOfCore);
try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  for (const place of places) rmSync(place, { recursive: true, force: true });
}

async function run() {
  const unbroken = await baseline();
  if (unbroken.length > 0) {
    console.error(unbroken.join('\n'));
    return false;
  }
  console.log('rule  result    seconds  what the code does');
  const waiting = [...chosen];
  const survivors = [];
  await Promise.all(
    places.map(async (place) => {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const { result, seconds, why } = await judge(place, mutant);
        if (result !== 'red') survivors.push(mutant);
        const row = [String(mutant.rule).padStart(4), result.padEnd(8), seconds.toFixed(1).padStart(7), mutant.what];
        console.log(`${row.join('  ')}${why.map((line) => `\n      ${line}`).join('')}`);
      }
    }),
  );
  const rules = new Set(chosen.map(({ rule }) => rule)).size;
  console.log(
    `${chosen.length} mutants of ${rules} ${rules === 1 ? 'rule' : 'rules'}: ${chosen.length - survivors.length} red, ${survivors.length} not`,
  );
  return survivors.length === 0;
}

function missingRules() {
  if (values.rule !== undefined) return chosen.length === 0 ? [`there is no mutant of rule ${values.rule}`] : [];
  const covered = new Set(MUTANTS.map(({ rule }) => rule));
  const rules = Array.from({ length: RULES }, (_, i) => i + 1);
  return rules.filter((rule) => !covered.has(rule)).map((rule) => `rule ${rule} has no mutant`);
}

/** Whatever in the table does not fit the code any more. */
function misfits(mutant) {
  const source = readFileSync(join(ROOT, mutant.file), 'utf8');
  return editsOf(mutant).flatMap(({ find }) => {
    const times = source.split(find).length - 1;
    return times === 1
      ? []
      : [`rule ${mutant.rule}, '${mutant.what}': ${mutant.file} has this ${times} times, not once:\n${find}`];
  });
}

function editsOf({ find, replace, extra }) {
  return extra === undefined ? [{ find, replace }] : [{ find, replace }, extra];
}

function copyOfCore() {
  const place = mkdtempSync(join(tmpdir(), 'sendonce-mutants-'));
  const copied = ['package.json', 'tsconfig.json', 'src', 'test'].map((name) => `packages/core/${name}`);
  const around = ['vitest.config.ts', 'tsconfig.base.json', 'tsconfig.package.json', 'package.json'];
  for (const path of [...copied, ...around]) cpSync(join(ROOT, path), join(place, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(place, 'node_modules'), 'dir');
  return place;
}

/** Without a mutant, every named test has to exist and be green: else its red would mean nothing. */
async function baseline() {
  const tests = chosen.flatMap((mutant) => mutant.tests);
  const { results, output } = await vitest(places[0], tests);
  if (results === null || results.length === 0) return [`the tests do not run:\n${output}`];
  return tests.flatMap(({ file, name }) => {
    const found = matching(results, { file, name });
    if (found.length === 0) return [`no test of ${file} has this in its name: ${name}`];
    return found
      .filter(({ status }) => status !== 'passed')
      .map((test) => `not green without a mutant: ${test.fullName}`);
  });
}

async function judge(place, mutant) {
  const path = join(place, mutant.file);
  const source = readFileSync(path, 'utf8');
  const broken = editsOf(mutant).reduce((text, { find, replace }) => text.replace(find, () => replace), source);
  writeFileSync(path, broken);
  const started = performance.now();
  const { results, output } = await vitest(place, mutant.tests);
  writeFileSync(path, source);
  const seconds = (performance.now() - started) / 1_000;
  if (results === null) return { result: 'hangs', seconds, why: [output.slice(-500)] };
  const green = mutant.tests.filter((test) => !matching(results, test).some(({ status }) => status === 'failed'));
  return {
    result: green.length === 0 ? 'red' : 'SURVIVES',
    seconds,
    why: green.map(({ file, name }) => `stays green: ${file}: ${name}`),
  };
}

function matching(results, { file, name }) {
  return results.filter((test) => test.file.endsWith(file) && test.fullName.includes(name));
}

/** Runs the named tests in the copy. `results` is null when there are none: it hung, or did not start. */
async function vitest(place, tests) {
  const files = [...new Set(tests.map(({ file }) => file))];
  const names = [...new Set(tests.map(({ name }) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))];
  const report = join(place, 'report.json');
  rmSync(report, { force: true });
  const bin = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [
    bin,
    'run',
    '--project',
    'core',
    '--reporter=json',
    `--outputFile=${report}`,
    '-t',
    names.join('|'),
    ...files,
  ];
  const output = await ending(spawn(process.execPath, args, { cwd: place, env: { ...process.env, CI: 'true' } }));
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    return {
      output,
      results: testResults.flatMap(({ name: file, assertionResults }) =>
        assertionResults.map((each) => ({ ...each, file })),
      ),
    };
  } catch {
    return { output, results: null };
  }
}

function ending(child) {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  return new Promise((resolve) => {
    child.on('close', () => {
      clearTimeout(limit);
      resolve(output);
    });
  });
}
