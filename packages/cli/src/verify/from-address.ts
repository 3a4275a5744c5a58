import { flagError } from '../flags/flag-error.ts';
import { flagWords } from '../simulate/again.ts';
import { isPostgres, isSqlite, withoutPassword } from '../real/address.ts';
import { postgresSuite } from './postgres-suite.ts';
import { redisSuite } from './redis-suite.ts';
import { sqliteSuite } from './sqlite-suite.ts';
import type { PortName, Suite } from './suite.ts';

/**
 * The suite of one of our own adapters at that address; null for what is none: the name of a file.
 * @throws SendonceError FLAG_INVALID for an address that is not one of these.
 */
export function fromAddress(port: PortName, text: string): Suite | null {
  const isLedger = port === 'ledger';
  if (isLedger && isSqlite(text)) return { ...sqliteSuite(), from: text, flags: flagWords(port, text) };
  if (!URL.canParse(text)) return null;
  const shown = withoutPassword(text);
  const named = { from: shown, flags: flagWords(port, shown) };
  if (isLedger && isPostgres(text)) return { ...postgresSuite(text), ...named };
  if (/^rediss?:\/\//.test(text)) return { ...redisSuite(port, text), ...named };
  // Drive letters of Windows look like one.
  if (/^(file|[a-z]):/i.test(text)) return null;
  const forms = isLedger ? 'sqlite:, postgres://user@host:5432/database, redis://host:6379' : 'redis://host:6379';
  throw flagError(
    port,
    shown,
    `the file of a module, or the address of a server that is running: ${forms}. Another of our own adapters is judged through a module of three lines`,
  );
}
