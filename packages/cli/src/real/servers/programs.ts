import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SendonceError } from '@sendonce/core';
import { flagError } from '../../flags/flag-error.ts';

/** Where a program is, and how it is come by. */
export interface Wanted {
  /** The flag that asks for it, and its value. */
  readonly flag: 'ledger' | 'queue';
  readonly value: string;
  readonly program: string;
  /** Debian's. */
  readonly aptPackage: string;
  /** Looked into before PATH. */
  readonly folders?: readonly string[];
}

/** The path of a program on this machine. @throws SendonceError `FLAG_INVALID` that says what to install */
export function programAt({ flag, value, program, aptPackage, folders = [] }: Wanted): string {
  const places = [...folders, ...(process.env['PATH'] ?? '').split(':')];
  const found = places.map((folder) => join(folder, program)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw flagError(
    flag,
    value,
    `the address of a server, or ${program} on this machine, which is not there (on Debian: apt-get install ${aptPackage})`,
  );
}

/** The folders in `root` that lead to programs, the highest version first: PostgreSQL's are not in PATH everywhere. */
export function versionsIn(root: string): readonly string[] {
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(root, version, 'bin'));
}

/**
 * Starts a server in a new folder, which is gone with it.
 * @throws SendonceError HARNESS_FAILED with what it said instead of starting
 */
export async function inFolder<Server>(what: string, start: (folder: string) => Promise<Server>): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'sendonce-server-'));
  try {
    return await start(folder);
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true });
    const said = cause instanceof Error ? cause.message.trim() : String(cause);
    throw new SendonceError('HARNESS_FAILED', `${what} could not be started in ${folder}: ${said}`, { cause });
  }
}

/** A port of the loopback interface that nobody listens at. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
