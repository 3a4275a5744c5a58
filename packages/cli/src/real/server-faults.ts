import type { ServerFault, ServerName } from '@sendonce/chaos/processes';
import { SendonceError } from '@sendonce/core';
import { flagError } from '../flags/flag-error.ts';
import type { SimulateFlags } from '../simulate/flags.ts';
import { isOwn, isServer } from './address.ts';
import type { Addresses, Places } from './places.ts';

const MOST = 1_000_000_000;

/** Reads `--restart` and `--wipe`. @throws SendonceError `FLAG_INVALID` */
export function parseServerFaults({ restart = [], wipe = [] }: Pick<SimulateFlags, 'restart' | 'wipe'>): ServerFault[] {
  return [...restart.map((text) => parse('restart', text)), ...wipe.map((text) => parse('wipe', text))];
}

function parse(what: ServerFault['do'], text: string): ServerFault {
  const [, server, number] = /^(ledger|queue)@(\d+)$/.exec(text) ?? [];
  const acceptance = Number(number);
  if (server !== undefined && acceptance >= 1 && acceptance <= MOST)
    return { do: what, server: server as ServerName, acceptance };
  throw flagError(
    what,
    text,
    'ledger@N or queue@N, for when the Nth message was accepted; N from 1 to 1,000,000,000',
    acceptance === 0 ? `${server}@1` : null,
  );
}

/** Nobody's server but the run's own is struck. @throws SendonceError `FLAG_INVALID` */
export function checkServerFaults(faults: readonly ServerFault[], addresses: Addresses, recipients: number): void {
  for (const { do: what, server, acceptance } of faults) {
    const given = `${server}@${acceptance}`;
    const address = addresses[server];
    if (address === null || !canStrike(what, server, address)) throw flagError(what, given, wanted(what, server));
    if (acceptance > recipients)
      throw flagError(what, given, `a number from 1 to ${recipients}, as there are ${recipients} recipients`);
  }
}

function canStrike(what: ServerFault['do'], server: ServerName, address: string): boolean {
  if (what === 'restart') return isOwn(address);
  // Of a queue the run empties what it has made there itself.
  return server === 'queue' ? isOwn(address) || isServer(address) : address === 'redis:';
}

function wanted(what: ServerFault['do'], server: ServerName): string {
  if (what === 'wipe')
    return server === 'queue'
      ? 'a queue on a server: --queue redis:, amqp: or the address of one'
      : 'a ledger that can come back empty: --ledger redis:, which the run starts for itself';
  return `a server that the run starts for itself, as nobody else's is struck: ${server === 'queue' ? '--queue redis: or amqp:' : '--ledger postgres: or redis:'}`;
}

/** Carries one out; resolves when the server is back. */
export async function strikeServer({ do: what, server }: ServerFault, places: Places): Promise<void> {
  const act = places[server]?.[what] ?? null;
  if (act === null) throw new SendonceError('FLAG_INVALID', `--${what} ${server}: there is no server to strike`);
  await act();
}
