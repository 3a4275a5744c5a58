import { bareAddress, flagError } from '../flags/flag-error.ts';
import { flagWords } from '../simulate/again.ts';
import { isAmqp, isBare, isPostgres, isRedis, isSqlite, isSqs, masked, withoutPassword } from '../real/address.ts';
import { postgresSuite } from './postgres-suite.ts';
import { queueSuite } from './queue-suite.ts';
import { redisSuite } from './redis-suite.ts';
import { sqliteSuite } from './sqlite-suite.ts';
import type { PortName, Suite } from './suite.ts';

/**
 * The suite of one of our own adapters at that address; null for what is none: the name of a file.
 * @throws SendonceError FLAG_INVALID for an address that is not one of these.
 */
export function fromAddress(port: PortName, text: string): Suite | null {
  const isLedger = port === 'ledger';
  const isQueue = port === 'queue';
  if (isLedger && isSqlite(text)) return { ...sqliteSuite(), from: text, flags: flagWords(port, text) };
  // Drive letters of Windows look like one.
  if (!/^[a-z][a-z\d+.-]+:/i.test(text) || /^file:/i.test(text)) return null;
  if (!URL.canParse(text)) throw unknown(port, masked(text));
  const shown = withoutPassword(text);
  const named = { from: shown, flags: flagWords(port, shown) };
  if (isLedger && isPostgres(text)) return { ...postgresSuite(text), ...named };
  if (isQueue && (isSqs(text) || isAmqp(text))) return { ...queueSuite(text), ...named };
  if ((isLedger || isQueue) && isRedis(text)) return { ...redisSuite(port, text), ...named };
  throw isBare(text) ? bareAddress(port, text, formsOf(port)) : unknown(port, shown);
}

/** Of the others there are modules alone. */
const FORMS: { readonly [port in PortName]?: string } = {
  ledger: 'sqlite:, postgres://user@host:5432/database, redis://host:6379',
  queue: 'redis://host:6379, sqs+http://host:4566, amqp://host:5672',
};

function unknown(port: PortName, shown: string): Error {
  return flagError(port, shown, formsOf(port));
}

function formsOf(port: PortName): string {
  const forms = FORMS[port];
  if (forms === undefined) return 'the file of a module, whose default export makes a new, empty one each time';
  return `the file of a module, or the address of a server that is running: ${forms}. Any other adapter is judged through a module of three lines`;
}
