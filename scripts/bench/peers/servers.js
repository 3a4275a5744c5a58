// Servers for one run: on loopback, in a temporary folder, ended with it.
import { fork, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** Starts those of `redis`, `postgres`, `sqs` that are asked for; `stop` ends them and removes what they kept. */
export async function servers(kinds) {
  const started = {};
  const stops = [];
  for (const kind of kinds) {
    const { address, stop } = await START[kind]();
    started[kind] = address;
    stops.push(stop);
  }
  return { addresses: started, stop: () => Promise.all(stops.map((stop) => stop())) };
}

const START = { redis, postgres, sqs };

/** What is still running when this process ends, for whatever reason. */
const running = new Set();
process.once('exit', () => running.forEach((end) => end()));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

function ending(end) {
  running.add(end);
  return async () => {
    running.delete(end);
    end();
  };
}

/** Nothing is kept on disk: neither side is to be. */
async function redis() {
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-bench-'));
  const port = await freePort();
  const settings = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const child = spawn('redis-server', settings.map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = ending(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  await said(child, 'Ready to accept connections', 'redis-server');
  return { address: port, stop };
}

let cluster = null;
let databases = 0;

/** A database of its own in one cluster for all runs of this process: default settings, so `fsync` and `synchronous_commit` are on. */
async function postgres() {
  cluster ??= startCluster();
  const { url } = await cluster;
  const name = `run_${(databases += 1)}`;
  await asked(`${url}/postgres`, `CREATE DATABASE ${name}`);
  return { address: `${url}/${name}`, stop: () => asked(`${url}/postgres`, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function asked(url, text) {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

async function startCluster() {
  const programs = folderOfPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-bench-'));
  const owner = ownerOf(folder);
  const data = join(folder, 'data');
  const port = await freePort();
  const run = (program, ...args) => {
    const [command, ...rest] = [...owner, join(programs, program), ...args];
    const { status, stderr } = spawnSync(command, rest, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
  };
  run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync');
  const settings = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories=${folder} -c max_connections=300`;
  run('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', settings, 'start');
  ending(() => {
    run('pg_ctl', '-D', data, '-m', 'immediate', 'stop');
    rmSync(folder, { recursive: true, force: true });
  });
  return { url: `postgres://postgres@127.0.0.1:${port}` };
}

function folderOfPrograms() {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions.map((version) => join(root, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
  if (found === undefined) throw new Error('PostgreSQL is not installed; run: apt-get install -y postgresql');
  return found;
}

/** PostgreSQL refuses to run as root: words to begin its commands with, so that it does not. */
function ownerOf(folder) {
  if (process.getuid() !== 0) return [];
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout),
  );
  chownSync(folder, uid, gid);
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
}

/** In a process of its own, as a service is. */
async function sqs() {
  const child = fork(new URL('sqs-process.js', import.meta.url));
  const stop = ending(() => child.kill('SIGKILL'));
  const address = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`the SQS server ended with ${code}`)));
  });
  return { address, stop };
}

function said(child, text, name) {
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => String(chunk).includes(text) && resolve());
    child.once('error', (error) =>
      reject(new Error(`'${name}' did not start: ${error.message}; run: apt-get install -y ${name}`)),
    );
    child.once('exit', (code) => reject(new Error(`'${name}' ended with ${code}`)));
  });
}

export async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
